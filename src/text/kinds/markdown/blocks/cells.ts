import { isBlankUnit, skipBlanks, trimEnd } from './block-starts.ts';

const PIPE = 124;
const BACKSLASH = 92;

/** The trimmed spans of a row's cells: start, end, start, end, … The span of an empty cell is where its text would go. */
export function cellSpans(text: string, from: number, end: number): number[] {
  const spans: number[] = [];
  let start = skipBlanks(text, from, end);
  const last = trimEnd(text, start, end);
  if (start < last && text.charCodeAt(start) === PIPE) start++;
  for (let at = start; at < last; at++) {
    if (text.charCodeAt(at) !== PIPE || text.charCodeAt(at - 1) === BACKSLASH) continue;
    pushCell(spans, text, start, at);
    start = at + 1;
  }
  if (start < last) pushCell(spans, text, start, last);
  return spans;
}

function pushCell(spans: number[], text: string, start: number, end: number): void {
  const first = skipBlanks(text, start, end);
  if (first < end) spans.push(first, trimEnd(text, first, end));
  else {
    const inside = end - start > 1 ? start + 1 : start;
    spans.push(inside, inside);
  }
}

/** The number of columns of a delimiter row (`| --- | :-: |`); 0 for any other line. */
export function delimiterColumns(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== PIPE && unit !== 45 && unit !== 58 && !isBlankUnit(unit)) return 0;
  }
  const spans = cellSpans(text, from, end);
  for (let i = 0; i < spans.length; i += 2) {
    let start = spans[i]!;
    let stop = spans[i + 1]!;
    if (start < stop && text.charCodeAt(start) === 58) start++;
    if (start < stop && text.charCodeAt(stop - 1) === 58) stop--;
    if (start === stop) return 0;
    for (let at = start; at < stop; at++) if (text.charCodeAt(at) !== 45) return 0;
  }
  return spans.length / 2;
}

export function isTableHeader(text: string, from: number, end: number, columns: number): boolean {
  return text.slice(from, end).includes('|') && cellSpans(text, from, end).length / 2 === columns;
}
