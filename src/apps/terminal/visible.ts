import { isOrdinaryInProse, replaceHidden } from '../../base/hidden-characters.ts';
import { passingStyles } from './filter/styles.ts';

/**
 * Replaces characters that control a terminal or hide text by escapes, because names and contents of files are untrusted. Tabs,
 * line ends, and what prose needs stay. JSON stays equivalent JSON.
 */
export function visible(text: string): string {
  return replaceHidden(text, (hidden, start) => {
    const isLineEnd = hidden === '\n' || hidden === '\t' || (hidden === '\r' && text[start + 1] === '\n');
    return isLineEnd || isOrdinaryInProse(hidden) ? hidden : escaped(hidden);
  });
}

/** Escapes line feeds too: a file name must not look like further lines of the output. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\r\n]/g, escaped);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the form of a style
const STYLE = /\u001b\[([\d:;]*)m/g;

/** Keeps pincer's own styles, and shows all other control characters. */
export function visibleStyled(text: string): string {
  let shown = '';
  let at = 0;
  for (const { 0: style, 1: parameters = '', index } of text.matchAll(STYLE)) {
    const styles = passingStyles(parameters);
    shown += visible(text.slice(at, index)) + (styles === undefined ? visible(style) : `\u001b[${styles}m`);
    at = index + style.length;
  }
  return shown + visible(text.slice(at));
}

/** Each UTF-16 unit, as JSON writes it. */
function escaped(text: string): string {
  return text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
