import { decodeText } from '../lines/bytes.ts';
import type { Position } from '../lines/position.ts';
import { borrowScanner, DEFAULT_WINDOW, LAYOUT } from './scan.ts';
import { type ByteSource, fill } from './source.ts';

/** Line and column of a byte, from 1; the column counts UTF-16 units. */
export function positionOfByte(source: ByteSource, offset: number, windowBytes: number = DEFAULT_WINDOW): Position {
  let line = 1;
  let lineStart = 0;
  const scanner = borrowScanner(windowBytes);
  try {
    for (let at = 0; at < offset; ) {
      const wanted = Math.min(windowBytes, offset - at);
      const got = fill(source, at, scanner.bytes.subarray(LAYOUT.window, LAYOUT.window + wanted));
      if (got === 0) break;
      const end = LAYOUT.window + got;
      const newlines = scanner.wasm.countNewlines(LAYOUT.window, end);
      if (newlines > 0) lineStart = at + scanner.wasm.lineBegin(LAYOUT.window, end) - LAYOUT.window;
      line += newlines;
      at += got;
    }
  } finally {
    scanner.release();
  }
  return { line, column: unitsBetween(source, lineStart, offset, windowBytes) + 1 };
}

/** The number of UTF-16 units in the bytes [start, end), which must not split a character. */
export function unitsBetween(
  source: ByteSource,
  start: number,
  end: number,
  windowBytes: number = DEFAULT_WINDOW,
): number {
  const capacity = Math.max(windowBytes, 16);
  const scanner = borrowScanner(capacity);
  try {
    let units = 0;
    for (let at = start; at < end; ) {
      const wanted = Math.min(capacity, end - at);
      const got = fill(source, at, scanner.bytes.subarray(LAYOUT.window, LAYOUT.window + wanted));
      if (got === 0) break;
      const bytes = scanner.bytes.subarray(LAYOUT.window, LAYOUT.window + got);
      if (scanner.wasm.isAscii(LAYOUT.window, LAYOUT.window + got)) {
        units += got;
        at += got;
        continue;
      }
      const whole = at + got < end ? wholeCharacters(bytes) : got;
      units += decodeText(bytes.subarray(0, whole)).length;
      at += whole;
    }
    return units;
  } finally {
    scanner.release();
  }
}

/** The length up to the last lead byte, whose character may be incomplete. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    if (bytes[bytes.length - back]! >= 0xc0) return bytes.length - back;
  }
  return bytes.length;
}
