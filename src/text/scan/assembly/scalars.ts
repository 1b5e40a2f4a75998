// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
import { DOT, MINUS, byteAt, isDigit } from './bytes';

/** Exponents with this many digits, and spellings longer than this, may overflow a double: only the full parser decides. */
const LONG_EXPONENT: usize = 3;
const LONG_NUMBER: usize = 200;

/** The end of the number if the last `pastNumber` returned 0 because it may be too large; otherwise 0. */
export let hugeNumberEnd: usize = 0;

/** The address after the JSON number at `at`, or 0 if there is none or it may be too large for a double. */
export function pastNumber(at: usize): usize {
  const begin = at;
  hugeNumberEnd = 0;
  let isHuge = false;
  if (byteAt(at) == MINUS) at++;
  const first = byteAt(at);
  if (!isDigit(first)) return 0;
  at++;
  if (first != 0x30) {
    while (isDigit(byteAt(at))) at++;
  }
  if (byteAt(at) == DOT) {
    at++;
    if (!isDigit(byteAt(at))) return 0;
    while (isDigit(byteAt(at))) at++;
  }
  if ((byteAt(at) | 0x20) == 0x65) {
    at++;
    const sign = byteAt(at);
    if (sign == 0x2b || sign == MINUS) at++;
    if (!isDigit(byteAt(at))) return 0;
    const digits = at;
    while (isDigit(byteAt(at))) at++;
    isHuge = at - digits >= LONG_EXPONENT;
  }
  if (isHuge || at - begin > LONG_NUMBER) {
    hugeNumberEnd = at;
    return 0;
  }
  return at;
}

const TRUE: u32 = 0x65757274; // little-endian `true`
const NULL: u32 = 0x6c6c756e;
const ALSE: u32 = 0x65736c61;

/** The length of `true`, `false` or `null` at `at`, or 0. */
export function wordLength(at: usize): u32 {
  const word = load<u32>(at);
  if (word == TRUE || word == NULL) return 4;
  if (byteAt(at) == 0x66 && load<u32>(at + 1) == ALSE) return 5;
  return 0;
}
