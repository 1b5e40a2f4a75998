/**
 * Whether a text matches a shell pattern as a whole: `*` any run, `?` one character, `[abc]`, `[a-z]`, `[!a-z]` one of a
 * class. Written out, because compiling regular expressions takes longer than a small read.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0;
  let p = 0;
  /** Where to try again with one character more for the last `*`. */
  let star: { readonly p: number; at: number } | undefined;
  while (at < text.length) {
    const step = pattern[p] === '*' ? undefined : oneCharacter(text[at]!, pattern, p);
    if (pattern[p] === '*') {
      star = { p: ++p, at };
    } else if (step !== undefined) {
      p += step;
      at++;
    } else if (star !== undefined) {
      at = ++star.at;
      p = star.p;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** How long the part of the pattern is that takes this character; undefined when it takes another one. */
function oneCharacter(character: string, pattern: string, p: number): number | undefined {
  if (p >= pattern.length) return undefined;
  if (pattern[p] === '?') return 1;
  const end = pattern[p] === '[' ? pattern.indexOf(']', p + 2) : -1;
  if (end < 0) return pattern[p] === character ? 1 : undefined;
  const negated = pattern[p + 1] === '!';
  const inside = inClass(character, pattern.slice(p + (negated ? 2 : 1), end));
  return inside === negated ? undefined : end + 1 - p;
}

function inClass(character: string, members: string): boolean {
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    if (isRange ? members[i]! <= character && character <= members[i + 2]! : members[i] === character) return true;
    if (isRange) i += 2;
  }
  return false;
}
