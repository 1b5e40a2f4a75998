/** The offsets of all lines of a file; strings are created only on request. */
import type { LineSpans } from './line-index.ts';

export interface LineTable extends LineSpans {
  /** The start of each line, and the end of the text. A byte order mark is before the first line. */
  readonly starts: Int32Array;
  /** The end of each line's content, where its line ending begins. */
  readonly ends: Int32Array;
  /** All line endings are LF. */
  readonly plain: boolean;
}

/** Lines end with LF, CRLF and, with `loneCr`, also with a lone CR. */
export function lineTableOf(text: string, loneCr: boolean): LineTable {
  const draft = new LineTableBuilder(text, text.startsWith('\uFEFF') ? 1 : 0);
  if (text.includes('\r')) findMixed(draft, loneCr);
  else draft.addPlain();
  return draft.finished(!text.includes('\r'));
}

class LineTableBuilder {
  readonly text: string;
  start: number;
  private starts: Int32Array;
  private ends: Int32Array;
  private count = 0;

  constructor(text: string, from: number) {
    this.text = text;
    this.start = from;
    this.starts = new Int32Array((text.length >> 4) + 16);
    this.ends = new Int32Array(this.starts.length);
  }

  /** Adds all lines that end with LF. */
  addPlain(): void {
    const { text } = this;
    let { starts, ends, count, start } = this;
    for (let at = text.indexOf('\n', start); at >= 0; at = text.indexOf('\n', start)) {
      if (count + 2 > starts.length) {
        this.grow();
        ({ starts, ends } = this);
      }
      starts[count] = start;
      ends[count++] = at;
      start = at + 1;
    }
    this.count = count;
    this.start = start;
  }

  add(end: number, next: number): void {
    if (this.count + 2 > this.starts.length) this.grow();
    this.starts[this.count] = this.start;
    this.ends[this.count++] = end;
    this.start = next;
  }

  finished(plain: boolean): LineTable {
    const { text } = this;
    if (this.start < text.length) this.add(text.length, text.length);
    this.starts[this.count] = text.length;
    const { count } = this;
    return { text, count, plain, starts: this.starts.subarray(0, count + 1), ends: this.ends.subarray(0, count) };
  }

  private grow(): void {
    const [starts, ends] = [this.starts, this.ends];
    this.starts = new Int32Array(starts.length * 2);
    this.ends = new Int32Array(ends.length * 2);
    this.starts.set(starts);
    this.ends.set(ends);
  }
}

function findMixed(draft: LineTableBuilder, loneCr: boolean): void {
  const ending = loneCr ? /\r\n|\n|\r/gu : /\r\n|\n/gu;
  ending.lastIndex = draft.start;
  for (let hit = ending.exec(draft.text); hit !== null; hit = ending.exec(draft.text))
    draft.add(hit.index, ending.lastIndex);
}

export function lineAt(table: LineSpans, i: number): string {
  return table.text.slice(table.starts[i], table.ends[i]);
}

/** Empty for a last line without an ending. */
export function endingAt(table: LineTable, i: number): string {
  const end = table.ends[i]!;
  const next = table.starts[i + 1]!;
  return table.plain && next > end ? '\n' : table.text.slice(end, next);
}

/** The line that contains an offset; the first one for an offset before it. */
export function lineContaining({ starts, count }: LineTable, offset: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
