import { passingStyles } from './filter/styles.ts';

/** Control characters except line feed, tab and the CR of a CRLF; bidirectional marks; and zero-width characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be shown
const OBEYED = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f]|\r(?!\n)/g;

/**
 * Replaces control characters by escapes, because names and contents of files are untrusted. JSON stays equivalent JSON.
 */
export function visible(text: string): string {
  return text.replace(OBEYED, escaped);
}

/** Escapes line feeds too: a file name must not look like further lines of the output. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\r\n]/g, escaped);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the form of a style
const STYLE = /\u001b\[([\d:;]*)m/g;

/** Keeps pincer's own styles, and shows all other control characters. */
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
