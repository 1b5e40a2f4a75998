// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
import { BACKSLASH, LOWER_U, NEWLINE, byteAt, hexUnit, matchMask64, sameBytes } from './bytes';
import { lineBegin, newlineFrom, sumBytes } from './newlines';

/** Newlines that the last call read before it stopped. */
export let candidateLines: u32 = 0;
/** Where the last call stopped: the end, or the first line that did not fit into the output. */
export let candidateResume: usize = 0;

/**
 * Finds the lines of [from, end) that may contain a string: its quoted spelling, or an escape of one of its units.
 *
 * `pair` is the offset in `needle` of the two bytes to search for first, the rarest ones. `units` are the UTF-16 units
 * whose `\uXXXX` escapes match; `shortEscape` is another letter that matches after a backslash (`u` for none).
 * Each row of `out` is three u32: newlines before the line, its start, its end (without the newline).
 * The bytes after `end` up to the next 64 must be readable.
 */
export function candidates(
  from: usize,
  end: usize,
  needle: usize,
  needleLength: u32,
  pair: u32,
  units: usize,
  unitCount: u32,
  shortEscape: u32,
  out: usize,
  outEnd: usize,
): u32 {
  const newline = i8x16.splat(<u8>NEWLINE);
  const pairFirst = i8x16.splat(load<u8>(needle + pair));
  const pairSecond = i8x16.splat(load<u8>(needle + pair + 1));
  const backslash = i8x16.splat(<u8>BACKSLASH);
  const escapeU = i8x16.splat(<u8>LOWER_U);
  const escapeOther = i8x16.splat(<u8>shortEscape);
  let at = from;
  let lines: u32 = 0;
  let rows: u32 = 0;
  let counters = i8x16.splat(0);
  let rounds: u32 = 0;
  while (at < end) {
    const a0 = v128.load(at);
    const a1 = v128.load(at, 16);
    const a2 = v128.load(at, 32);
    const a3 = v128.load(at, 48);
    const b0 = v128.load(at, 1);
    const b1 = v128.load(at, 17);
    const b2 = v128.load(at, 33);
    const b3 = v128.load(at, 49);
    const m0 = v128.or(
      v128.and(i8x16.eq(a0, pairFirst), i8x16.eq(b0, pairSecond)),
      v128.and(i8x16.eq(a0, backslash), v128.or(i8x16.eq(b0, escapeU), i8x16.eq(b0, escapeOther))),
    );
    const m1 = v128.or(
      v128.and(i8x16.eq(a1, pairFirst), i8x16.eq(b1, pairSecond)),
      v128.and(i8x16.eq(a1, backslash), v128.or(i8x16.eq(b1, escapeU), i8x16.eq(b1, escapeOther))),
    );
    const m2 = v128.or(
      v128.and(i8x16.eq(a2, pairFirst), i8x16.eq(b2, pairSecond)),
      v128.and(i8x16.eq(a2, backslash), v128.or(i8x16.eq(b2, escapeU), i8x16.eq(b2, escapeOther))),
    );
    const m3 = v128.or(
      v128.and(i8x16.eq(a3, pairFirst), i8x16.eq(b3, pairSecond)),
      v128.and(i8x16.eq(a3, backslash), v128.or(i8x16.eq(b3, escapeU), i8x16.eq(b3, escapeOther))),
    );
    if (v128.any_true(v128.or(v128.or(m0, m1), v128.or(m2, m3)))) {
      const mask =
        <u64>i8x16.bitmask(m0) |
        (<u64>i8x16.bitmask(m1) << 16) |
        (<u64>i8x16.bitmask(m2) << 32) |
        (<u64>i8x16.bitmask(m3) << 48);
      const hit = firstHit(mask, at, end, needle, needleLength, pair, units, unitCount, shortEscape);
      if (hit) {
        const before = matchMask64(at, newline) & ((<u64>1 << <u64>(hit - at)) - 1);
        lines += sumBytes(counters) + <u32>popcnt(before);
        counters = i8x16.splat(0);
        rounds = 0;
        const begin = lineBegin(from, hit);
        if (out + 12 > outEnd) {
          candidateLines = lines;
          candidateResume = begin;
          return rows;
        }
        const stop = newlineFrom(hit, end);
        store<u32>(out, lines);
        store<u32>(out, <u32>begin, 4);
        store<u32>(out, <u32>stop, 8);
        out += 12;
        rows++;
        if (stop < end) lines++;
        at = stop + 1;
        continue;
      }
    }
    const first = i8x16.add(i8x16.eq(a0, newline), i8x16.eq(a1, newline));
    const second = i8x16.add(i8x16.eq(a2, newline), i8x16.eq(a3, newline));
    counters = i8x16.sub(counters, i8x16.add(first, second));
    at += 64;
    // A byte counter grows by at most 4 in a round.
    if (++rounds == 60) {
      lines += sumBytes(counters);
      counters = i8x16.splat(0);
      rounds = 0;
    }
  }
  // The bytes from `end` to the end of the last block contain no newline: an unterminated line, or padding.
  candidateLines = lines + sumBytes(counters);
  candidateResume = end;
  return rows;
}

/** The first address in `mask` (bits of the block at `at`) of the needle or a matching escape, or 0. */
function firstHit(
  mask: u64,
  at: usize,
  end: usize,
  needle: usize,
  needleLength: u32,
  pair: u32,
  units: usize,
  unitCount: u32,
  shortEscape: u32,
): usize {
  for (; mask; mask &= mask - 1) {
    const hit = at + <usize>ctz(mask);
    if (hit >= end) return 0;
    if (byteAt(hit) == BACKSLASH) {
      const letter = byteAt(hit + 1);
      if (letter == LOWER_U) {
        if (hasUnit(hexUnit(hit + 2), units, unitCount)) return hit;
      } else if (letter == shortEscape) return hit;
    }
    if (sameBytes(hit - pair, needle, needleLength)) return hit;
  }
  return 0;
}

function hasUnit(unit: i32, units: usize, unitCount: u32): bool {
  for (let i: u32 = 0; i < unitCount; i++) {
    if (<i32>load<u16>(units + (<usize>i << 1)) == unit) return true;
  }
  return false;
}
