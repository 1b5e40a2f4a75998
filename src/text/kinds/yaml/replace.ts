/** Splices that replace a value and keep comments on its line. */
import { eolAt } from '../../lines/eol.ts';
import { lineStart } from '../../lines/position.ts';
import type { Splice } from '../../lines/splice.ts';
import type { Placed } from './render.ts';
import { AFTER, EMPTY, END, FOLDED, LITERAL, SCALAR, START, type Tree } from './tree.ts';

export function replaceSplices(tree: Tree, row: number, placed: Placed): Splice[] {
  const { text } = tree;
  const start = tree.get(row, START);
  const end = tree.get(row, END);
  const after = tree.get(row, AFTER);
  const style = tree.style(row);
  const { head } = placed;
  const tail = joinTail(text, start, placed.tail);
  if (tree.type(row) === SCALAR && style === EMPTY) {
    if (tree.documents.includes(row)) return [fillEmptyDocument(text, start, placed)];
    const lead = tree.hasColon(row) ? ' ' : ': ';
    return mergeSplices(text, [insertion(after, head && lead + head), insertion(lineContentEnd(text, after), tail)]);
  }
  if (tree.type(row) === SCALAR && (style === LITERAL || style === FOLDED)) {
    const headerEnd = start + (/^[|>][-+\d]*/.exec(text.slice(start, start + 4))?.[0].length ?? 1);
    const line = lineContentEnd(text, start);
    const header = head === '' ? { start: after, end: headerEnd, text: '' } : { start, end: headerEnd, text: head };
    return mergeSplices(text, [header, { start: line, end: Math.max(end, line), text: tail }]);
  }
  if (tree.isBlockCollection(row) && lineStart(text, start) > after) {
    const before = endOfPreviousLine(text, start);
    const line = lineContentEnd(text, after);
    const body = { start: before, end: lineContentEnd(text, end), text: '' };
    const lead = insertion(after, head && ` ${head}`);
    if (line === before) return mergeSplices(text, [lead, { ...body, text: tail }]);
    return mergeSplices(text, [lead, insertion(line, tail), body]);
  }
  const value = head === '' ? { start: after, end, text: '' } : { start, end, text: head };
  return mergeSplices(text, [value, insertion(lineContentEnd(text, end), tail)]);
}

/** Inserts the first lines of an empty document, below its `---` or at the end of the text. */
export function fillEmptyDocument(text: string, start: number, { head, tail }: Placed): Splice {
  const at = lineContentEnd(text, start);
  const lines = head + joinTail(text, at, tail);
  const eol = eolAt(text, at);
  const isFresh = at === text.length && /^\uFEFF?$|\n$/.test(text);
  return insertion(at, isFresh ? lines + eol : eol + lines);
}

/** Each line with a line ending before it. */
export function joinTail(text: string, near: number, lines: readonly string[]): string {
  const eol = eolAt(text, near);
  return lines.map((line) => eol + line).join('');
}

/** The end of the line at `offset`, before its line ending. */
export function lineContentEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  if (newline < 0) return text.length;
  return newline > offset && text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline;
}

/** The end of the line before the line at `offset`, before its line ending. */
export function endOfPreviousLine(text: string, offset: number): number {
  const newline = lineStart(text, offset) - 1;
  return text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline;
}

export function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** Drops splices without effect and joins adjacent ones. */
function mergeSplices(text: string, splices: readonly Splice[]): Splice[] {
  const out: Splice[] = [];
  for (const splice of splices) {
    if (text.slice(splice.start, splice.end) === splice.text) continue;
    const last = out.at(-1);
    if (last?.end === splice.start)
      out[out.length - 1] = { start: last.start, end: splice.end, text: last.text + splice.text };
    else out.push(splice);
  }
  return out;
}
