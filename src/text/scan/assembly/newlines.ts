// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
import { matchMask64, NEWLINE, byteAt } from './bytes';

/** The sum of sixteen unsigned bytes. */
@inline
export function sumBytes(counters: v128): u32 {
  const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(counters));
  return (
    i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3)
  );
}

/** Counts the newlines in [at, end). */
export function countNewlines(at: usize, end: usize): u32 {
  const wanted = i8x16.splat(<u8>NEWLINE);
  const wholeEnd = at + ((end - at) & ~63);
  let total: u32 = 0;
  while (at < wholeEnd) {
    // A byte counter grows by at most 4 in a round, so 63 rounds cannot overflow it.
    let counters = i8x16.splat(0);
    const roundEnd = min(wholeEnd, at + 64 * 63);
    for (; at < roundEnd; at += 64) {
      const first = i8x16.add(i8x16.eq(v128.load(at), wanted), i8x16.eq(v128.load(at, 16), wanted));
      const second = i8x16.add(i8x16.eq(v128.load(at, 32), wanted), i8x16.eq(v128.load(at, 48), wanted));
      counters = i8x16.sub(counters, i8x16.add(first, second));
    }
    total += sumBytes(counters);
  }
  for (; at < end; at++) total += byteAt(at) == NEWLINE ? 1 : 0;
  return total;
}

/** The address after the `nth` newline (from 1) in [at, end), or 0 if there are fewer. */
export function pastNewline(at: usize, end: usize, nth: u32): usize {
  const wanted = i8x16.splat(<u8>NEWLINE);
  while (at + 64 <= end) {
    let mask = matchMask64(at, wanted);
    const here = <u32>popcnt(mask);
    if (here >= nth) {
      while (nth > 1) {
        mask &= mask - 1;
        nth--;
      }
      return at + <usize>ctz(mask) + 1;
    }
    nth -= here;
    at += 64;
  }
  for (; at < end; at++) {
    if (byteAt(at) == NEWLINE && --nth == 0) return at + 1;
  }
  return 0;
}

/** The address of the first newline in [at, end), or `end`. */
export function newlineFrom(at: usize, end: usize): usize {
  const wanted = i8x16.splat(<u8>NEWLINE);
  for (; at < end; at += 16) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (mask) return min(end, at + <usize>ctz(mask));
  }
  return end;
}

/** The start of the line at `at`, not before `begin`. */
export function lineBegin(begin: usize, at: usize): usize {
  const wanted = i8x16.splat(<u8>NEWLINE);
  while (at >= begin + 16) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at - 16), wanted));
    if (mask) return at - 16 + (32 - <usize>clz(mask));
    at -= 16;
  }
  while (at > begin && byteAt(at - 1) != NEWLINE) at--;
  return at;
}

/** True if every byte of [at, end) is ASCII. */
export function isAscii(at: usize, end: usize): bool {
  for (; at + 16 <= end; at += 16) {
    if (i8x16.bitmask(v128.load(at))) return false;
  }
  for (; at < end; at++) {
    if (load<i8>(at) < 0) return false;
  }
  return true;
}
