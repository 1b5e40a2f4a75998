/** What somebody probably meant. */

/** The name that a typed one is a slip away from; undefined where none is near, or two are equally so. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const letters = typed.replace(/^-+/u, '');
  // Of a short word hardly anything is left after two slips.
  const most = letters.length < 3 ? 0 : letters.length < 6 ? 1 : 2;
  const found = names
    .map((name) => ({ name, slips: distance(typed.toLowerCase(), name.toLowerCase(), letters.length >= 3) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips);
  return found.length > 1 && found[0]!.slips === found[1]!.slips ? undefined : found[0]?.name;
}

/** `: did you mean --workspace`, or nothing. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const name = nearest(typed, names);
  return name === undefined || name === typed ? '' : `: did you mean ${name}`;
}

/** A beginning is as good as one slip. */
function distance(typed: string, name: string, mayBegin: boolean): number {
  return mayBegin && typed !== name && name.startsWith(typed) ? 1 : slips(typed, name);
}

/** How many letters are missing, too many, wrong, or swapped with the next. */
function slips(a: string, b: string): number {
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const wrong = old[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? older[j - 2]! + 1 : wrong;
      row.push(Math.min(old[j]! + 1, row[j - 1]! + 1, wrong, swapped));
    }
    older = old;
    old = row;
  }
  return old[b.length]!;
}
