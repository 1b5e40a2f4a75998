/**
 * Globs on paths: `*` and `?` match within a segment, a `**` segment matches any number of them. Rules depend on them, so
 * nothing else is supported (no braces, no classes) and the time is bounded. `hosts/files/gate/glob.ts` has shell globs for
 * searches.
 */

/** A pattern that is not a glob is a literal path, whose symlinks are resolved instead. */
export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** Whether a glob matches the whole path, with case. */
export function matchesGlob(pattern: string, path: string): boolean {
  return matchSegments(pattern.split('/'), path.split('/'));
}

/** Row by row, so that many `**` cost at most pattern length times path length. */
function matchSegments(patterns: readonly string[], segments: readonly string[]): boolean {
  let reached: boolean[] = [true, ...segments.map(() => false)];
  for (const pattern of patterns) {
    const next: boolean[] = new Array<boolean>(segments.length + 1).fill(false);
    let crossing = false;
    for (let i = 0; i <= segments.length; i++) {
      if (pattern === '**') {
        crossing ||= reached[i]!;
        next[i] = crossing;
      } else if (i > 0 && reached[i - 1]! && matchSegment(pattern, segments[i - 1]!)) next[i] = true;
    }
    reached = next;
  }
  return reached[segments.length]!;
}

/** Two pointers: only the last star is retried, so the cost is at most pattern length times text length. */
function matchSegment(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (p < pattern.length && (pattern[p] === '?' || (pattern[p] !== '*' && pattern[p] === text[t]))) {
      p++;
      t++;
    } else if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
