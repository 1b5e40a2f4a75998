import { type Blocks, CODE } from './blocks/records.ts';
import { SPACE, TAB } from './blocks/block-starts.ts';

/** The code with LF between lines and none after the last. */
export function codeText(text: string, blocks: Blocks, row: number): string {
  const { codes } = blocks;
  const body = codes.get(row, CODE.BODY);
  const end = codes.get(row, CODE.BODY_END);
  const indent = codes.get(row, CODE.INDENT);
  const fenced = codes.get(row, CODE.FENCE) >= 0;
  const lines: string[] = [];
  for (let at = body; at < end; ) {
    const lf = text.indexOf('\n', at);
    const next = lf < 0 ? text.length : lf + 1;
    let stop = lf < 0 ? text.length : lf;
    if (stop > at && text.charCodeAt(stop - 1) === 13) stop--;
    const first = at === body && !fenced;
    lines.push(
      first ? ' '.repeat(codes.get(row, CODE.LEAD)) + text.slice(at, stop) : withoutIndent(text, at, stop, indent),
    );
    at = next;
  }
  return lines.join('\n');
}

/** Removes up to `columns` columns of indentation from a line; the rest of a partly removed tab becomes spaces. */
export function withoutIndent(text: string, from: number, end: number, columns: number): string {
  let column = 0;
  let at = from;
  while (at < end && column < columns) {
    const unit = text.charCodeAt(at);
    if (unit === SPACE) column++;
    else if (unit === TAB) column += 4 - (column % 4);
    else break;
    at++;
  }
  return ' '.repeat(Math.max(0, column - columns)) + text.slice(at, end);
}

export function codeLanguage(text: string, blocks: Blocks, row: number): string {
  const { codes } = blocks;
  if (codes.get(row, CODE.FENCE) < 0) return '';
  const info = text.slice(codes.get(row, CODE.INFO), codes.get(row, CODE.INFO_END));
  return info.split(/[ \t{]/, 1)[0] ?? '';
}
