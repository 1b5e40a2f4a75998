// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
// The tokens of a document that is read in windows. The zeros after a window stop a token that its end cuts.
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SLASH,
  byteAt,
} from './bytes';
import { escapeLength, stringStops } from './strings';

/** The address of the next byte that is not white space. */
@inline
export function pastWhite(at: usize): usize {
  if (byteAt(at) > 0x20) return at;
  if (byteAt(at) == 0x20 && byteAt(at + 1) > 0x20) return at + 1;
  while (true) {
    const bytes = v128.load(at);
    const white = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x20)), i8x16.eq(bytes, i8x16.splat(0x0a))),
      v128.or(i8x16.eq(bytes, i8x16.splat(0x0d)), i8x16.eq(bytes, i8x16.splat(0x09))),
    );
    const others = ~i8x16.bitmask(white) & 0xffff;
    if (others) return at + <usize>ctz(others);
    at += 16;
  }
}

/** True if a number or word may end before the byte at `at`. */
@inline
export function endsWord(at: usize, end: usize): bool {
  if (at >= end) return true;
  const byte = byteAt(at);
  if (byte == COMMA || byte == NEWLINE || byte == CLOSE_OBJECT || byte == CLOSE_ARRAY) return true;
  if (byte == 0x20 || byte == 0x0d || byte == 0x09 || byte == SLASH || byte == COLON || byte == QUOTE) return true;
  return byte == OPEN_OBJECT || byte == OPEN_ARRAY;
}

/** The end of the run of bytes that may belong to a number. */
export function numberRuns(at: usize): usize {
  while (true) {
    const byte = byteAt(at);
    if (byte - 0x30 >= 10 && byte != 0x2d && byte != 0x2b && byte != 0x2e && (byte | 0x20) != 0x65) return at;
    at++;
  }
}

/** The address after a string of at most 32 bytes without escapes; 0 for any other string. */
@inline
export function shortString(at: usize, end: usize): usize {
  let stops = stringStops(at);
  if (stops == 0) {
    at += 16;
    stops = stringStops(at);
    if (stops == 0) return 0;
  }
  at += <usize>ctz(stops);
  return byteAt(at) == QUOTE && at < end ? at + 1 : 0;
}

/** Where `readString` stopped without a closing quote. */
export let stringStop: usize = 0;
/** True if `readString` read an escape. */
export let stringEscape: bool = false;

/** The address after the closing quote, or 0. The zeros after the window stop it at `end`. */
@inline
export function readString(at: usize, end: usize): usize {
  stringEscape = false;
  while (true) {
    const stops = stringStops(at);
    if (stops == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(stops);
    const byte = byteAt(at);
    if (byte == QUOTE) return at + 1;
    if (byte == BACKSLASH) {
      const length = at < end ? escapeLength(at) : 0;
      if (length) {
        stringEscape = true;
        at += <usize>length;
        continue;
      }
    }
    stringStop = at;
    return 0;
  }
}
