/**
 * Finds one place in a JSON(C) source of any size, in constant memory: reads and checks the whole document once, window
 * by window. If the scanner cannot prove something, the caller parses the document in memory.
 */
import type { Step } from '../../address/steps.ts';
import { decodeText, encodeText } from '../../lines/bytes.ts';
import type { Position } from '../../lines/position.ts';
import { positionOfByte, unitsBetween } from '../../scan/position.ts';
import { borrowScanner, DEFAULT_WINDOW, LAYOUT, type Scanner } from '../../scan/scan.ts';
import { type ByteSource, fill, readRange } from '../../scan/source.ts';
import type { ScanOptions } from '../../scan/lines.ts';
import type { Problem } from '../../kind.ts';
import {
  badEscape,
  CONTROL_CHARACTER,
  EMPTY_DOCUMENT,
  MAX_DEPTH,
  missingComma,
  notAValue,
  OPEN_COMMENT,
  OPEN_STRING,
  syntaxError,
  tooDeep,
  unexpected,
} from './problems.ts';

/** The result of a seek. Offsets are bytes of the source. */
export type SeekOutcome =
  | {
      readonly status: 'found';
      readonly start: number;
      readonly end: number;
      readonly key: { readonly start: number; readonly end: number } | undefined;
      /** The position of the key, or of the value if it has no key. */
      readonly position: Position;
    }
  | { readonly status: 'missing' }
  | { readonly status: 'broken'; readonly problem: Problem; readonly position: Position }
  /** Only a full parse can decide: a key on the path has escapes, or a number may be too large. */
  | { readonly status: 'unproven' };

const NO_INDEX = 0xffff_ffff;
const MARK = [0xef, 0xbb, 0xbf];
const STEP_WORDS = 3;
const OPEN_OBJECT = 0x7b;
/** How much is read from the offset of a problem to describe it. */
const SHOWN_BYTES = 200;

/** The names of the steps if all are keys and indexes, which a seek can follow. */
export function seekableNames(steps: readonly Step[]): string[] | undefined {
  const names: string[] = [];
  for (const { sub } of steps) {
    if (sub.type !== 'literal') return undefined;
    names.push(sub.text);
  }
  return names;
}

/** Seeks the value at the path `names`: keys and indexes from the root. */
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

/** Writes the steps into the scanner's memory; false if they do not fit. */
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
  /** The start of the window in the source. */
  private offset = 0;
  private filled = 0;
  /** The line of the window's first byte, and the start of that line. */
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
      if (this.position === undefined) this.trackPosition(past);
      if (isLast) return this.outcome();
      if (past === LAYOUT.window && this.filled === this.capacity) this.capacity *= 2;
      this.scanner.bytes.copyWithin(LAYOUT.window, past, end);
      this.offset += past - LAYOUT.window;
      this.filled = end - past;
    }
  }

  /** Fills the window; true if it contains the rest of the source. */
  private fillWindow(): boolean {
    const { scanner } = this;
    scanner.ensureWindow(this.capacity);
    const into = scanner.bytes.subarray(LAYOUT.window + this.filled, LAYOUT.window + this.capacity);
    const got = fill(this.source, this.offset + this.filled, into);
    this.filled += got;
    scanner.pad(LAYOUT.window + this.filled);
    return got < into.length || this.offset + this.filled >= this.source.size;
  }

  /** Counts lines up to `past`, or sets the position of the target if it is before `past`. */
  private trackPosition(past: number): void {
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

  /** The start of the target's key, or of its value without a key; -1 until it is found. */
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

/** The problem with the message of the parser in memory; `here` is the text from the offset on. */
function problemOf(fault: number, offset: number, here: string, isInObject: boolean): Problem {
  const found = here[0];
  switch (fault) {
    case FAULT.noKey:
      return unexpected(offset, found, 'a key in double quotes');
    case FAULT.noColon:
      return unexpected(offset, found, "':'");
    case FAULT.noComma:
      return missingComma(offset, found, isInObject);
    case FAULT.openString:
      return syntaxError(offset, OPEN_STRING);
    case FAULT.badEscape:
      return badEscape(offset, here[1] ?? '');
    case FAULT.control:
      return syntaxError(offset, CONTROL_CHARACTER);
    case FAULT.openComment:
      return syntaxError(offset, OPEN_COMMENT);
    case FAULT.moreThanOne:
      return unexpected(offset, found, 'the end of the document');
    case FAULT.tooDeep:
      return tooDeep(offset);
    case FAULT.empty:
      return syntaxError(offset, EMPTY_DOCUMENT);
    default: {
      const word = /^[^ \t\r\n,:{}[\]"/]*/.exec(here)?.[0] ?? '';
      return word === '' ? unexpected(offset, found, 'a value') : notAValue(offset, word);
    }
  }
}
