/**
 * Globs on paths: `*` and `?` stay within a segment, a segment `**` crosses any number of them. Rules decide by them, so there is
 * nothing else (no braces, no classes) and the time is bounded; `hosts/files/gate/glob.ts` has the globs of a shell for searches.
 */

/** Whether a pattern is a glob at all; a literal path has its links followed instead. */
export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** Whether a glob matches the whole path, case and all. */
export function matchesGlob(pattern: string, path: string): boolean {
  return matchSegments(pattern.split('/'), path.split('/'));
}

/** Row by row, so that many `**` cost their product with the path and no more. */
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

/** The two-pointer walk: one star is taken back at a time, which is never more than pattern times text. */
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
