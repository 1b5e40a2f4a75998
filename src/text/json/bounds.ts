/** The nesting limit for untrusted JSON. `JSON.parse` accepts any depth, but code that walks the value would overflow the stack. */
export const MOST_NESTING = 256;
/** The limit of members in the parameters of one call: an edit may have thousands of replacements. */
export const MOST_MEMBERS = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** The text need not be valid JSON. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > MOST_NESTING) return true;
    } else if (char === 0x5d || char === 0x7d) depth--;
  }
  return false;
}

/** Counts commas, before the text is parsed. */
export function hasTooManyMembers(text: string): boolean {
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA && ++commas >= MOST_MEMBERS) return true;
  }
  return false;
}

/** The index of the closing quote, or of the last character. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
