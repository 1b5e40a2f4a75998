import { passingStyles } from './filter/styles.ts';

/** Control characters but line feed, tab and the return of a CRLF; the marks that turn the direction of text; and what has no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be shown
const OBEYED = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f]|\r(?!\n)/g;

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: the form of a style
const STYLE = /\u001b\[([\d:;]*)m/g;

/** What may reach a terminal from anywhere in the program: our own styles pass, whatever else a terminal would obey is shown. */
export function visibleStyled(text: string): string {
  if (text.search(OBEYED) < 0) return text;
  let shown = '';
  let at = 0;
  for (const { 0: style, 1: parameters = '', index } of text.matchAll(STYLE)) {
    const styles = passingStyles(parameters);
    shown += visible(text.slice(at, index)) + (styles === undefined ? visible(style) : `\u001b[${styles}m`);
    at = index + style.length;
  }
  return shown + visible(text.slice(at));
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
