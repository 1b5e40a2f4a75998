import { lineStart } from '../../../lines/position.ts';

/**
 * What a further line needs before the column of `offset`: the start of its line with markers of lists blanked out,
 * marks of quotes and tabs kept.
 */
export function leadOf(text: string, offset: number): string {
  return text
    .slice(lineStart(text, offset), offset)
    .replace('\uFEFF', '')
    .replace(/[^\t> ]/g, ' ');
}

/** True when nothing but blanks and marks of quotes stands before `offset` on its line. */
export function leadsItsLine(text: string, offset: number): boolean {
  return !/[^\t> \uFEFF]/.test(text.slice(lineStart(text, offset), offset));
}

/** Past the last line in `from`..`limit` that is not blank; `from` when all are. */
export function contentEnd(text: string, from: number, limit: number): number {
  let end = limit;
  while (end > from && ' \t\r\n'.includes(text[end - 1]!)) end--;
  if (end === from) return from;
  const lf = text.indexOf('\n', end);
  return lf < 0 || lf >= limit ? limit : lf + 1;
}
