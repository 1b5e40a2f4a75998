/** Suggestions for a mistyped name. */

/** The closest name; undefined where none is close, or two are equally close. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const letters = typed.replace(/^-+/u, '');
  // In a short word, two typos leave hardly anything.
  const most = letters.length < 3 ? 0 : letters.length < 6 ? 1 : 2;
  const wanted = typed.toLowerCase();
  // A prefix counts as one typo.
  const typos = (name: string): number =>
    letters.length >= 3 && wanted !== name && name.startsWith(wanted) ? 1 : editDistance(wanted, name, most);
  const found = names
    .map((name) => ({ name, typos: typos(name.toLowerCase()) }))
    .filter((each) => each.typos <= most)
    .sort((a, b) => a.typos - b.typos);
  return found.length > 1 && found[0]!.typos === found[1]!.typos ? undefined : found[0]?.name;
}

/** `; did you mean --workspace`, or an empty string. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const name = nearestName(typed, names);
  return name === undefined || name === typed ? '' : `; did you mean ${name}`;
}

const LONGEST_LISTING = 2000;
const MOST_NAMES = 3;

/** The most similar names, best first. */
export function nearestNames(wanted: string, existing: readonly string[]): readonly string[] {
  const target = wanted.toLowerCase();
  const bound = Math.max(2, Math.floor(target.length / 3));
  const scored: { readonly name: string; readonly distance: number }[] = [];
  for (const name of existing.slice(0, LONGEST_LISTING)) {
    const candidate = name.toLowerCase();
    const related = candidate.startsWith(target) || withoutExtension(candidate) === withoutExtension(target);
    const distance = variant(name) === variant(wanted) ? 0 : related ? 1 : editDistance(target, candidate, bound);
    if (distance <= bound) scored.push({ name, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, MOST_NAMES).map((entry) => entry.name);
}

/** Equal for names that differ only in case or Unicode form. */
function variant(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function withoutExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** The Damerau-Levenshtein distance, or `bound + 1` if it is larger than the bound. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const wrong = old[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? older[j - 2]! + 1 : wrong;
      row.push(Math.min(old[j]! + 1, row[j - 1]! + 1, wrong, swapped));
    }
    if (Math.min(...row) > bound) return bound + 1;
    older = old;
    old = row;
  }
  return old[b.length]!;
}
