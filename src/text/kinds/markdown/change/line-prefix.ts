import { lineStart } from '../../../lines/position.ts';

/**
 * The prefix that continues the containers of `offset` on another line: list markers become spaces, quote marks and
 * tabs stay.
 */
export function linePrefix(text: string, offset: number): string {
  return text
    .slice(lineStart(text, offset), offset)
    .replace('\uFEFF', '')
    .replace(/[^\t> ]/g, ' ');
}

/** True if only blanks and quote marks precede `offset` on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  return !/[^\t> \uFEFF]/.test(text.slice(lineStart(text, offset), offset));
}

/** The end of the last non-blank line in `from`..`limit`; `from` if all are blank. */
export function contentEnd(text: string, from: number, limit: number): number {
  let end = limit;
  while (end > from && ' \t\r\n'.includes(text[end - 1]!)) end--;
  if (end === from) return from;
  const lf = text.indexOf('\n', end);
  return lf < 0 || lf >= limit ? limit : lf + 1;
}
