/** Control characters but line feed, tab and the return of a CRLF; and the marks that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be shown
const OBEYED = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;

/**
 * The text with an escape in the place of every character that a terminal would obey instead of showing it: names and
 * contents of files may come from anybody. What is JSON stays the same JSON.
 */
export function visible(text: string): string {
  return text.replace(OBEYED, escaped);
}

/** The same on one line: the name of a file may hold line feeds, and must not look like further lines of the answer. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\r\n]/g, escaped);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
