// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.

/** The result of `findBytes` if searching further would take too long. */
const GIVEN_UP: usize = 1;
/** The average number of comparisons per byte above which `findBytes` gives up. */
const PATIENCE: usize = 4;

/**
 * The first address of the needle in [from, end), 0 if there is none, or 1 if too many long partial matches make this
 * method slow. `pair` is the offset in `needle` of the two bytes to search for first, the rarest ones. 80 bytes after
 * `end` must be readable.
 */
export function findBytes(from: usize, end: usize, needle: usize, length: usize, pair: usize): usize {
  if (from + length > end) return 0;
  const first = i8x16.splat(load<u8>(needle + pair));
  const second = i8x16.splat(load<u8>(needle + pair + 1));
  // The last possible address of the pair.
  const last = end - length + pair;
  let compared: usize = 0;
  for (let at = from + pair; at <= last; at += 64) {
    const m0 = v128.and(i8x16.eq(v128.load(at), first), i8x16.eq(v128.load(at, 1), second));
    const m1 = v128.and(i8x16.eq(v128.load(at, 16), first), i8x16.eq(v128.load(at, 17), second));
    const m2 = v128.and(i8x16.eq(v128.load(at, 32), first), i8x16.eq(v128.load(at, 33), second));
    const m3 = v128.and(i8x16.eq(v128.load(at, 48), first), i8x16.eq(v128.load(at, 49), second));
    if (!v128.any_true(v128.or(v128.or(m0, m1), v128.or(m2, m3)))) continue;
    let mask =
      <u64>i8x16.bitmask(m0) |
      (<u64>i8x16.bitmask(m1) << 16) |
      (<u64>i8x16.bitmask(m2) << 32) |
      (<u64>i8x16.bitmask(m3) << 48);
    for (; mask; mask &= mask - 1) {
      const hit = at + <usize>ctz(mask);
      if (hit > last) return 0;
      const place = hit - pair;
      let same: usize = 0;
      while (same < length && load<u8>(place + same) == load<u8>(needle + same)) same++;
      if (same == length) return place;
      compared += same;
      if (compared > PATIENCE * (hit - from) + 0x1000) return GIVEN_UP;
    }
  }
  return 0;
}
