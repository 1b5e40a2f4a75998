const LONGEST_LISTING = 2000;
const MOST_NAMES = 3;

/** The names of a folder that look most like the one asked for, best first. */
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

/** Equal for names that differ only in case, or in how Unicode writes the same letters. */
function variant(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function withoutExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Levenshtein distance, or anything above `bound` once it is clear that it is above. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, previous[j]! + 1, row[j - 1]! + 1));
    }
    if (Math.min(...row) > bound) return bound + 1;
    previous = row;
  }
  return previous[b.length]!;
}
