/**
 * One place in a JSON(C) source of any size, in flat memory: the whole document is read once, window by window, and
 * proven; nothing of it is kept. What the scanner cannot prove is left to the parser in memory.
 */
import type { Step } from '../../address/steps.ts';
import { decodeText, encodeText } from '../../lines/bytes.ts';
import type { Position } from '../../lines/position.ts';
import { positionOfByte, unitsBetween } from '../../scan/position.ts';
import { borrowScanner, DEFAULT_WINDOW, LAYOUT, type Scanner } from '../../scan/scan.ts';
import { type ByteSource, fill, readRange } from '../../scan/source.ts';
import type { ScanOptions } from '../../scan/lines.ts';
import type { Problem } from '../../kind.ts';
import { MAX_DEPTH } from './scan.ts';

/** What a seek answers. Offsets are bytes of the source. */
export type SeekOutcome =
  | {
      readonly status: 'found';
      /** The span of the value. */
      readonly start: number;
      readonly end: number;
      /** The span of its key with the quotes, when it has one. */
      readonly key: { readonly start: number; readonly end: number } | undefined;
      /** Where the key stands, or the value when it has none. */
      readonly position: Position;
    }
  | { readonly status: 'missing' }
  | { readonly status: 'broken'; readonly problem: Problem; readonly position: Position }
  /** Only a full parse can tell: a key on the way is spelled with escapes, or a number may be too large. */
  | { readonly status: 'unproven' };

const NO_INDEX = 0xffff_ffff;
const MARK = [0xef, 0xbb, 0xbf];
const STEP_WORDS = 3;
const OPEN_OBJECT = 0x7b;
/** How much of a broken spot is read to describe it. */
const SHOWN_BYTES = 200;

/** The names of steps that a seek can follow: keys and indexes only. */
export function seekableNames(steps: readonly Step[]): string[] | undefined {
  const names: string[] = [];
  for (const { sub } of steps) {
    if (sub.type !== 'literal') return undefined;
    names.push(sub.text);
  }
  return names;
}

/** Seeks the value at the end of `names` (keys and indexes from the root down). */
export function seekJson(source: ByteSource, names: readonly string[], options: ScanOptions = {}): SeekOutcome {
  const { windowBytes = DEFAULT_WINDOW } = options;
  const scanner = borrowScanner(windowBytes);
  try {
    if (!placeSteps(scanner, names)) return { status: 'unproven' };
    return new Seek(source, scanner, windowBytes).run();
  } finally {
    scanner.release();
  }
}

/** Writes the steps into the scanner's memory; false when they have no place there. */
function placeSteps(scanner: Scanner, names: readonly string[]): boolean {
  if (names.length > MAX_DEPTH) return false;
  let at: number = LAYOUT.texts;
  for (const [i, name] of names.entries()) {
    const bytes = encodeText(name);
    if (at + bytes.length > LAYOUT.textsEnd || decodeText(bytes) !== name) return false;
    scanner.bytes.set(bytes, at);
    const index = /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : NO_INDEX;
    scanner.words.set([at, bytes.length, Math.min(index, NO_INDEX)], LAYOUT.tables / 4 + i * STEP_WORDS);
    at += bytes.length;
  }
  scanner.wasm.seekStart(LAYOUT.tables, names.length, LAYOUT.stack);
  return true;
}

class Seek {
  private readonly source: ByteSource;
  private readonly scanner: Scanner;
  private capacity: number;
  /** Where the window begins in the source. */
  private offset = 0;
  private filled = 0;
  /** The line of the window's first byte, and where that line begins. */
  private line = 1;
  private lineStart = 0;
  private position: Position | undefined;

  constructor(source: ByteSource, scanner: Scanner, windowBytes: number) {
    this.source = source;
    this.scanner = scanner;
    this.capacity = windowBytes;
    const head = readRange(source, 0, MARK.length);
    if (MARK.every((byte, i) => head[i] === byte)) this.offset = MARK.length;
  }

  run(): SeekOutcome {
    const { wasm } = this.scanner;
    for (;;) {
      const isLast = this.fillWindow();
      const end = LAYOUT.window + this.filled;
      const past = wasm.seekWindow(LAYOUT.window, end, this.offset, isLast);
      if (wasm.seekFault.value !== 0) return this.broken();
      if (this.position === undefined) this.follow(past);
      if (isLast) return this.outcome();
      if (past === LAYOUT.window && this.filled === this.capacity) this.capacity *= 2;
      this.scanner.bytes.copyWithin(LAYOUT.window, past, end);
      this.offset += past - LAYOUT.window;
      this.filled = end - past;
    }
  }

  /** Reads on; true when the window holds the rest of the source. */
  private fillWindow(): boolean {
    const { scanner } = this;
    scanner.ensureWindow(this.capacity);
    const into = scanner.bytes.subarray(LAYOUT.window + this.filled, LAYOUT.window + this.capacity);
    const got = fill(this.source, this.offset + this.filled, into);
    this.filled += got;
    scanner.pad(LAYOUT.window + this.filled);
    return got < into.length || this.offset + this.filled >= this.source.size;
  }

  /** Keeps count of lines up to `past`, or notes the position of the target when it stands before that. */
  private follow(past: number): void {
    const { wasm } = this.scanner;
    const { anchor } = this;
    const isFound = anchor >= 0;
    if (isFound && anchor < this.offset) {
      this.position = positionOfByte(this.source, anchor);
      return;
    }
    const stop = isFound ? LAYOUT.window + anchor - this.offset : past;
    const newlines = wasm.countNewlines(LAYOUT.window, stop);
    if (newlines > 0) {
      this.line += newlines;
      this.lineStart = this.offset + wasm.lineBegin(LAYOUT.window, stop) - LAYOUT.window;
    }
    if (isFound) this.position = { line: this.line, column: unitsBetween(this.source, this.lineStart, anchor) + 1 };
  }

  /** Where the target's key or, without one, its value begins; -1 while the target is not found. */
  private get anchor(): number {
    const { keyBegin, valueBegin } = this.scanner.wasm;
    if (valueBegin.value < 0) return -1;
    return keyBegin.value < 0 ? valueBegin.value : keyBegin.value;
  }

  private outcome(): SeekOutcome {
    const { wasm } = this.scanner;
    if (wasm.seekDoubt.value !== 0) return { status: 'unproven' };
    if (this.position === undefined) return { status: 'missing' };
    const hasKey = wasm.keyBegin.value >= 0;
    return {
      status: 'found',
      start: wasm.valueBegin.value,
      end: wasm.valueEnd.value,
      key: hasKey ? { start: wasm.keyBegin.value, end: wasm.keyEnd.value } : undefined,
      position: this.position,
    };
  }

  private broken(): SeekOutcome {
    const { wasm } = this.scanner;
    const offset = wasm.faultAt.value as number;
    const opening = this.scanner.bytes[LAYOUT.stack + (wasm.seekDepth.value as number) - 1];
    const here = decodeText(readRange(this.source, offset, offset + SHOWN_BYTES));
    const problem = problemOf(wasm.seekFault.value as number, offset, here, opening === OPEN_OBJECT);
    return { status: 'broken', problem, position: positionOfByte(this.source, offset) };
  }
}

/** The faults of assembly/seek.ts. */
const FAULT = {
  noValue: 1,
  noKey: 2,
  noColon: 3,
  noComma: 4,
  openString: 5,
  badEscape: 6,
  control: 7,
  openComment: 8,
  moreThanOne: 9,
  tooDeep: 10,
  empty: 11,
} as const;

/** The problem in the words of the parser in memory; `here` is the text from the offset on. */
function problemOf(fault: number, offset: number, here: string, isInObject: boolean): Problem {
  const problem = (message: string): Problem => ({ code: 'OC_JSONC_PARSE_FAILED', offset, message });
  const unexpected = (wanted: string): Problem =>
    problem(
      here === ''
        ? `the document ends where ${wanted} should stand`
        : `found ${JSON.stringify(here[0])} where ${wanted} should stand`,
    );
  switch (fault) {
    case FAULT.noKey:
      return unexpected('a key in double quotes');
    case FAULT.noColon:
      return unexpected("':'");
    case FAULT.noComma:
      return unexpected(isInObject ? "',' or '}'" : "',' or ']'");
    case FAULT.openString:
      return problem('the string is not closed');
    case FAULT.badEscape:
      return problem(here[1] === 'u' ? '\\u needs four hexadecimal digits' : `\\${here[1] ?? ''} is no escape of JSON`);
    case FAULT.control:
      return problem('a control character must be escaped in a string');
    case FAULT.openComment:
      return problem('the comment is not closed');
    case FAULT.moreThanOne:
      return unexpected('the end of the document');
    case FAULT.tooDeep:
      return { code: 'OC_JSONC_DEPTH_EXCEEDED', offset, message: `more than ${MAX_DEPTH} levels of nesting` };
    case FAULT.empty:
      return problem('the document holds no value');
    default: {
      const word = /^[^ \t\r\n,:{}[\]"/]*/.exec(here)?.[0] ?? '';
      return word === '' ? unexpected('a value') : problem(`${JSON.stringify(word.slice(0, 40))} is no JSON value`);
    }
  }
}
