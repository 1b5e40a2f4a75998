import { countNewlines, lineOffset } from '../../../text/scan/lines.ts';
import { bytesSource } from '../../../text/scan/source.ts';
import type { OutputLog } from './log.ts';
import { plainText } from './plain-text.ts';
import { decode, openHead, openTail } from './utf8.ts';

const WINDOW = 0x10_0000;
/** At most so many bytes make a page, however long its lines are. */
const PAGE_BYTES = 0x4_0000;
const DEFAULT_LINES = 200;
const NEWLINE = 10;

/** Lines of a log, with where they stand. */
export interface Lines {
  readonly text: string;
  readonly offset: number;
  readonly lines: number;
  readonly totalLines: number;
  readonly truncated: boolean;
}

/** The log at one moment: what follows its start without a gap, and the kept end behind a gap. */
interface Kept {
  readonly front: number;
  readonly rest: Buffer;
  readonly length: number;
}

/**
 * Pages of lines. Newlines are counted when a page is asked for, in windows from the disk or memory; the count of each
 * whole window is remembered, so that a later page reads only what is new and the windows that it shows.
 */
export class LinePages {
  readonly #log: OutputLog;
  /** The newlines in front of the end of each window, from the start. */
  readonly #counts: number[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(log: OutputLog) {
    this.#log = log;
  }

  /** Lines from `offset` on, or the last ones; `complete` when nothing follows the last byte. */
  page(offset: number | undefined, limit: number | undefined, complete: boolean): Promise<Lines> {
    // One at a time: each of them holds windows in memory, and they share the counts.
    const turn = this.#turn.then(() => this.#page(wholeNumber(offset), wholeNumber(limit), complete));
    this.#turn = turn.catch(() => undefined); // whoever asked hears it
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
    const truncated = kept.length < this.#log.end && kept.rest.length > 0;
    const all = { offset: first, lines: after - first, totalLines, truncated };
    if (end - start <= PAGE_BYTES) {
      const bytes = await this.#read(kept, start, end - start);
      const open = complete || end < kept.length ? 0 : openTail(bytes);
      return { ...all, text: textOf(bytes.subarray(0, bytes.length - open)) };
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

  #snapshot(): Kept {
    const { start, end } = this.#log.gap;
    const pieces = this.#log.between(end, this.#log.end);
    const rest = Buffer.concat(pieces.map(({ bytes }) => bytes));
    return { front: start, rest, length: start + rest.length };
  }

  /** Fewer bytes than asked for when they are not there any more; into memory that is at hand, where it is given. */
  async #read(kept: Kept, from: number, length: number, into = Buffer.allocUnsafe(length)): Promise<Buffer> {
    const inFront = Math.max(0, Math.min(length, kept.front - from));
    const filled = await this.#log.fill(into.subarray(0, inFront), from);
    if (filled < inFront || filled === length) return into.subarray(0, filled);
    const at = from + filled - kept.front;
    return into.subarray(0, filled + kept.rest.copy(into, filled, at, at + length - filled));
  }

  /** All newlines of what is kept. */
  async #newlines(kept: Kept): Promise<number> {
    const whole = Math.floor(kept.front / WINDOW);
    // Windows that were counted before their bytes were given up do not count any more.
    this.#counts.length = Math.min(this.#counts.length, whole);
    const place = Buffer.allocUnsafe(this.#counts.length < whole ? WINDOW : 0);
    while (this.#counts.length < whole) {
      const window = await this.#read(kept, this.#counts.length * WINDOW, WINDOW, place);
      this.#counts.push((this.#counts.at(-1) ?? 0) + newlinesIn(window));
    }
    const open = await this.#read(kept, whole * WINDOW, kept.length - whole * WINDOW);
    return (this.#counts.at(-1) ?? 0) + newlinesIn(open);
  }

  /** Where a line begins among the kept bytes; the end of them for the line after the last. */
  async #lineStart(kept: Kept, line: number, totalLines: number): Promise<number> {
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
    // A newline that ends its window begins the line in the next one: then there is nothing here to point at.
    return base + (lineOffset(bytesSource(bytes), missing + 1) ?? bytes.length);
  }

  async #restOfLine(kept: Kept, line: number, totalLines: number, start: number): Promise<number> {
    return (await this.#lineStart(kept, line + 1, totalLines)) - start - PAGE_BYTES;
  }
}

/** What is no number counts as not said, and there are no lines before the first. */
function wholeNumber(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : Math.max(0, Math.floor(value));
}

function newlinesIn(bytes: Buffer): number {
  return countNewlines(bytesSource(bytes));
}

function textOf(bytes: Uint8Array): string {
  return plainText(decode(bytes));
}

/** As many whole lines as stand at the start; of a line that is longer than a page its start. */
function firstLines(bytes: Buffer, restOfFirst: number) {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (end > 0) return { text: textOf(bytes.subarray(0, end)), lines: newlinesIn(bytes) };
  const open = openTail(bytes);
  return { text: `${textOf(bytes.subarray(0, bytes.length - open))}${leftOut(restOfFirst + open)}\n`, lines: 1 };
}

/** As many whole lines as stand at the end; of a line that is longer than a page its end. */
function lastLines(bytes: Buffer, after: number, inFront: number) {
  const start = bytes.indexOf(NEWLINE) + 1;
  if (start > 0 && start < bytes.length) {
    const shown = bytes.subarray(start);
    const lines = newlinesIn(shown) + (shown.at(-1) === NEWLINE ? 0 : 1);
    return { text: textOf(shown), lines, offset: after - lines };
  }
  const open = openHead(bytes);
  return { text: `${leftOut(inFront + open)}${textOf(bytes.subarray(open))}`, lines: 1, offset: after - 1 };
}

function leftOut(bytes: number): string {
  return `[… ${bytes.toLocaleString('en-US')} bytes of this line left out …]`;
}
