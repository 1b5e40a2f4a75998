/** How deep JSON from outside may be nested. `JSON.parse` takes any depth, and whoever walks the value then runs out of stack. */
export const MOST_NESTING = 256;
/** How many members the parameters of one call may have: an edit takes thousands of replacements. */
export const MOST_MEMBERS = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Whether arrays and objects are nested deeper than that. The text need not be valid. */
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

/** Whether arrays and objects have more members than one call may send; found before they are read one by one. */
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
