import { Fault } from '../../base/fault.ts';
import { borrowScanner, DEFAULT_WINDOW, LAYOUT } from './scan.ts';
import { type ByteSource, fill, readRange } from './source.ts';

/** The longest line that is read into memory. */
export const MAX_LINE_BYTES = 0x1000_0000;

export interface ScanOptions {
  readonly windowBytes?: number;
}

export function countNewlines(source: ByteSource, end: number = source.size, options: ScanOptions = {}): number {
  const { windowBytes = DEFAULT_WINDOW } = options;
  const scanner = borrowScanner(windowBytes);
  try {
    let count = 0;
    for (let offset = 0; offset < end; ) {
      const wanted = Math.min(windowBytes, end - offset);
      const got = fill(source, offset, scanner.bytes.subarray(LAYOUT.window, LAYOUT.window + wanted));
      if (got === 0) break;
      count += scanner.wasm.countNewlines(LAYOUT.window, LAYOUT.window + got);
      offset += got;
    }
    return count;
  } finally {
    scanner.release();
  }
}

/** The offset of the physical line with this number, from 1; undefined if there are fewer lines. */
export function lineOffset(source: ByteSource, number: number, options: ScanOptions = {}): number | undefined {
  if (number <= 1) return number === 1 && source.size > 0 ? 0 : undefined;
  const { windowBytes = DEFAULT_WINDOW } = options;
  const scanner = borrowScanner(windowBytes);
  try {
    let missing = number - 1;
    for (let offset = 0; ; ) {
      const got = fill(source, offset, scanner.bytes.subarray(LAYOUT.window, LAYOUT.window + windowBytes));
      if (got === 0) return undefined;
      const end = LAYOUT.window + got;
      const here = scanner.wasm.countNewlines(LAYOUT.window, end);
      if (here >= missing) {
        const start = offset + scanner.wasm.pastNewline(LAYOUT.window, end, missing) - LAYOUT.window;
        return start < source.size ? start : undefined;
      }
      missing -= here;
      offset += got;
    }
  } finally {
    scanner.release();
  }
}

const PIECE = 0x1_0000;

/** The bytes of the line at `start`, with its ending. */
export function readLine(source: ByteSource, start: number): Uint8Array {
  for (let length = PIECE; ; length *= 2) {
    const bytes = readRange(source, start, Math.min(source.size, start + length));
    const newline = bytes.indexOf(10);
    if (newline >= 0) return bytes.subarray(0, newline + 1);
    if (bytes.length < length) return bytes;
    if (length > MAX_LINE_BYTES) throw lineTooLong(start);
  }
}

export function lineTooLong(offset: number): Fault {
  return new Fault('OC_PATH_LINE_TOO_LONG', `the line at byte ${offset} is longer than ${MAX_LINE_BYTES} bytes`, {
    hint: 'split the record; JSONL is read line by line',
  });
}

/** The offsets of the lines from last to first. Reads backwards, and only as far as needed. */
export function* lineStartsFromEnd(source: ByteSource): Generator<number> {
  if (source.size === 0) return;
  // A newline at the end does not start another line.
  let end = source.size - 1;
  for (;;) {
    const start = Math.max(0, end - PIECE);
    const bytes = readRange(source, start, end);
    for (let at = bytes.lastIndexOf(10); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(10, at - 1))
      yield start + at + 1;
    if (start === 0) {
      yield 0;
      return;
    }
    end = start;
  }
}
