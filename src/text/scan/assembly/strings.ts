// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
import { BACKSLASH, LOWER_U, QUOTE, byteAt, hexUnit } from './bytes';

/** A mask of the bytes in [at, at + 16) that end plain string content: quote, backslash, control characters. */
@inline
export function stringStops(at: usize): i32 {
  const bytes = v128.load(at);
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(<u8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<u8>BACKSLASH))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    ),
  );
}

/** The length of the escape sequence at `at` (a backslash), or 0 if JSON has no such escape. */
@inline
export function escapeLength(at: usize): u32 {
  const letter = byteAt(at + 1);
  // The two most frequent escapes in logs.
  if (letter == 0x6e || letter == QUOTE) return 2;
  return rareEscapeLength(at, letter);
}

function rareEscapeLength(at: usize, letter: u32): u32 {
  switch (letter) {
    case BACKSLASH:
    case 0x2f: // slash
    case 0x62: // b
    case 0x66: // f
    case 0x72: // r
    case 0x74: // t
      return 2;
    case LOWER_U:
      return hexUnit(at + 2) < 0 ? 0 : 6;
    default:
      return 0;
  }
}

/** True if `pastString` has read an escape since the last `forgetEscape`. */
export let sawEscape: bool = false;

@inline
export function forgetEscape(): void {
  sawEscape = false;
}

/** The address after the closing quote of the string with content at `at`, or 0 if it is invalid. */
@inline
export function pastString(at: usize): usize {
  const stops = stringStops(at);
  if (stops) {
    const stop = at + <usize>ctz(stops);
    if (byteAt(stop) == QUOTE) return stop + 1;
    return pastLongString(stop);
  }
  return pastLongString(at + 16);
}

function pastLongString(at: usize): usize {
  while (true) {
    const stops = stringStops(at);
    if (stops == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(stops);
    const byte = byteAt(at);
    if (byte == QUOTE) return at + 1;
    if (byte != BACKSLASH) return 0;
    sawEscape = true;
    const length = escapeLength(at);
    if (length == 0) return 0;
    at += <usize>length;
  }
}
