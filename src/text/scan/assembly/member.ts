// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
// Looks into an object that `fields` has proven valid, so only strings and brackets matter.
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, byteAt, sameBytes } from './bytes';
import { forgetEscape, pastString, sawEscape } from './strings';

/** The key (its quote) and value of the last member found. */
export let memberKey: usize = 0;
export let memberBegin: usize = 0;
export let memberEnd: usize = 0;

const MISSING: u32 = 0;
const FOUND: u32 = 1;
const DOUBTFUL: u32 = 2;

/**
 * Finds the first member with this key in the proven object at `at`. Doubtful if an earlier key has escapes, because it
 * may be the same key.
 */
export function member(at: usize, key: usize, keyLength: u32): u32 {
  at = toToken(at + 1);
  while (byteAt(at) != CLOSE_OBJECT) {
    forgetEscape();
    const quote = at;
    at = pastString(quote + 1);
    if (sawEscape) return DOUBTFUL;
    const isWanted = <u32>(at - quote - 2) == keyLength && sameBytes(quote + 1, key, keyLength);
    at = toToken(toToken(at) + 1);
    const begin = at;
    at = pastValue(at);
    if (isWanted) {
      memberKey = quote;
      memberBegin = begin;
      memberEnd = at;
      return FOUND;
    }
    at = toToken(at);
    if (byteAt(at) == COMMA) at = toToken(at + 1);
  }
  return MISSING;
}

@inline
function toToken(at: usize): usize {
  while (byteAt(at) <= 0x20) at++;
  return at;
}

/** The address after the proven value at `at`. */
function pastValue(at: usize): usize {
  let open = 0;
  while (true) {
    const byte = byteAt(at);
    if (byte == QUOTE) {
      at = pastString(at + 1);
      if (open == 0) return at;
      continue;
    }
    if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) open++;
    else if (byte == CLOSE_OBJECT || byte == CLOSE_ARRAY) {
      if (open == 0) return at;
      if (--open == 0) return at + 1;
    } else if (open == 0 && (byte == COMMA || byte <= 0x20)) return at;
    at++;
  }
}
