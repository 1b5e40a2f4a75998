import { countNewlines, lineOffset } from '../../../text/scan/lines.ts';
import { bytesSource } from '../../../text/scan/source.ts';
import type { OutputLog } from './log.ts';
import { plainText } from './plain-text.ts';
import { decode, incompleteHead, incompleteTail } from './utf8.ts';

const WINDOW = 0x10_0000;
/** The maximum size of a page, however long its lines are. */
const PAGE_BYTES = 0x4_0000;
const DEFAULT_LINES = 200;
const NEWLINE = 10;

/** Lines of a log, with their position. */
export interface Lines {
  readonly text: string;
  readonly offset: number;
  readonly lines: number;
  readonly totalLines: number;
  readonly truncated: boolean;
}

/** The log at one moment: `front` bytes from its start without a gap, and the kept end after a gap. */
interface Snapshot {
  readonly front: number;
  readonly rest: Buffer;
  readonly length: number;
  readonly truncated: boolean;
}

/**
 * Pages of lines. Newlines are counted on demand, in windows from the disk or memory. The count of each whole window is
 * cached, so that a later page reads only what is new and the windows that it shows.
 */
export class LinePages {
  readonly #log: OutputLog;
  /** The newlines from the start to the end of each window. */
  readonly #counts: number[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(log: OutputLog) {
    this.#log = log;
  }

  /** Lines from `offset` on, or the last ones; `complete` if nothing follows the last byte. */
  page(offset: number | undefined, limit: number | undefined, complete: boolean): Promise<Lines> {
    // One at a time: each needs windows in memory, and they share the counts.
    const turn = this.#turn.then(() => this.#page(wholeNumber(offset), wholeNumber(limit), complete));
    this.#turn = turn.catch(() => undefined); // the caller gets the error
    return turn;
  }

  async #page(offset: number | undefined, limit: number | undefined, complete: boolean): Promise<Lines> {
    const kept = this.#snapshot();
    const newlines = await this.#newlines(kept);
    const lastByte = kept.length === 0 ? NEWLINE : (await this.#read(kept, kept.length - 1, 1))[0];
    const totalLines = newlines + (lastByte === NEWLINE ? 0 : 1);
    const first = Math.min(offset ?? Math.max(0, totalLines - (limit ?? DEFAULT_LINES)), totalLines);
    const after = offset === undefined || limit === undefined ? totalLines : Math.min(totalLines, first + limit);
    const start = await this.#lineStart(kept, first, totalLines);
    const end = await this.#lineStart(kept, after, totalLines);
    const all = { offset: first, lines: after - first, totalLines, truncated: kept.truncated };
    if (end - start <= PAGE_BYTES) {
      const bytes = await this.#read(kept, start, end - start);
      const incomplete = complete || end < kept.length ? 0 : incompleteTail(bytes);
      return { ...all, text: decodePlain(bytes.subarray(0, bytes.length - incomplete)) };
    }
    return offset === undefined
      ? { ...all, ...lastLines(await this.#read(kept, end - PAGE_BYTES, PAGE_BYTES), after, end - start - PAGE_BYTES) }
      : {
          ...all,
          ...firstLines(
            await this.#read(kept, start, PAGE_BYTES),
            await this.#restOfLine(kept, first, totalLines, start),
          ),
        };
  }

  #snapshot(): Snapshot {
    const { start, end } = this.#log.gap;
    const pieces = this.#log.between(end, this.#log.end);
    const rest = Buffer.concat(pieces.map(({ bytes }) => bytes));
    return { front: start, rest, length: start + rest.length, truncated: end > start };
  }

  /** Reads into `into`; returns fewer bytes if they are not kept any more. */
  async #read(kept: Snapshot, from: number, length: number, into = Buffer.allocUnsafe(length)): Promise<Buffer> {
    const inFront = Math.max(0, Math.min(length, kept.front - from));
    const filled = await this.#log.fill(into.subarray(0, inFront), from);
    if (filled < inFront || filled === length) return into.subarray(0, filled);
    const at = from + filled - kept.front;
    return into.subarray(0, filled + kept.rest.copy(into, filled, at, at + length - filled));
  }

  async #newlines(kept: Snapshot): Promise<number> {
    const whole = Math.floor(kept.front / WINDOW);
    // Counts of windows whose bytes were removed since are dropped.
    this.#counts.length = Math.min(this.#counts.length, whole);
    const buffer = Buffer.allocUnsafe(this.#counts.length < whole ? WINDOW : 0);
    while (this.#counts.length < whole) {
      const window = await this.#read(kept, this.#counts.length * WINDOW, WINDOW, buffer);
      this.#counts.push((this.#counts.at(-1) ?? 0) + newlinesIn(window));
    }
    const open = await this.#read(kept, whole * WINDOW, kept.length - whole * WINDOW);
    return (this.#counts.at(-1) ?? 0) + newlinesIn(open);
  }

  /** The offset of a line in the kept bytes; their length for the line after the last. */
  async #lineStart(kept: Snapshot, line: number, totalLines: number): Promise<number> {
    if (line === 0) return 0;
    if (line >= totalLines) return kept.length;
    let low = 0;
    let high = this.#counts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#counts[middle]! < line) low = middle + 1;
      else high = middle;
    }
    const base = low * WINDOW;
    const whole = low < this.#counts.length;
    const bytes = await this.#read(kept, base, whole ? WINDOW : kept.length - base);
    const missing = line - (this.#counts[low - 1] ?? 0);
    // If a newline ends the window, the line begins in the next one and `lineOffset` finds nothing here.
    return base + (lineOffset(bytesSource(bytes), missing + 1) ?? bytes.length);
  }

  async #restOfLine(kept: Snapshot, line: number, totalLines: number, start: number): Promise<number> {
    return (await this.#lineStart(kept, line + 1, totalLines)) - start - PAGE_BYTES;
  }
}

/** NaN counts as missing, and a negative number as 0. */
function wholeNumber(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : Math.max(0, Math.floor(value));
}

function newlinesIn(bytes: Buffer): number {
  return countNewlines(bytesSource(bytes));
}

function decodePlain(bytes: Uint8Array): string {
  return plainText(decode(bytes));
}

/** As many whole lines as fit from the start; of a line longer than a page, its start. */
function firstLines(bytes: Buffer, restOfFirst: number) {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (end > 0) return { text: decodePlain(bytes.subarray(0, end)), lines: newlinesIn(bytes) };
  const incomplete = incompleteTail(bytes);
  const shown = decodePlain(bytes.subarray(0, bytes.length - incomplete));
  return { text: `${shown}${leftOut(restOfFirst + incomplete)}\n`, lines: 1 };
}

/** As many whole lines as fit at the end; of a line longer than a page, its end. */
function lastLines(bytes: Buffer, after: number, inFront: number) {
  const start = bytes.indexOf(NEWLINE) + 1;
  if (start > 0 && start < bytes.length) {
    const shown = bytes.subarray(start);
    const lines = newlinesIn(shown) + (shown.at(-1) === NEWLINE ? 0 : 1);
    return { text: decodePlain(shown), lines, offset: after - lines };
  }
  const head = incompleteHead(bytes);
  return { text: `${leftOut(inFront + head)}${decodePlain(bytes.subarray(head))}`, lines: 1, offset: after - 1 };
}

function leftOut(bytes: number): string {
  return `[… ${bytes.toLocaleString('en-US')} bytes of this line left out …]`;
}
