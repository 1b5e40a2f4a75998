// The bytes of JSON's syntax characters, and tests of bytes.

// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.

export const NEWLINE: u32 = 0x0a;
export const QUOTE: u32 = 0x22;
export const STAR: u32 = 0x2a;
export const COMMA: u32 = 0x2c;
export const MINUS: u32 = 0x2d;
export const DOT: u32 = 0x2e;
export const SLASH: u32 = 0x2f;
export const COLON: u32 = 0x3a;
export const OPEN_ARRAY: u32 = 0x5b;
export const BACKSLASH: u32 = 0x5c;
export const CLOSE_ARRAY: u32 = 0x5d;
export const LOWER_U: u32 = 0x75;
export const OPEN_OBJECT: u32 = 0x7b;
export const CLOSE_OBJECT: u32 = 0x7d;

@inline
export function byteAt(at: usize): u32 {
  return <u32>load<u8>(at);
}

@inline
export function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

/** The value of a hexadecimal digit, or 16. */
@inline
export function hexDigit(byte: u32): u32 {
  if (byte - 0x30 < 10) return byte - 0x30;
  const letter = (byte | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

/** The four hexadecimal digits at `at` as a number, or -1. */
export function hexUnit(at: usize): i32 {
  const a = hexDigit(byteAt(at));
  const b = hexDigit(byteAt(at + 1));
  const c = hexDigit(byteAt(at + 2));
  const d = hexDigit(byteAt(at + 3));
  if ((a | b | c | d) & 16) return -1;
  return (a << 12) | (b << 8) | (c << 4) | d;
}

@inline
export function sameBytes(a: usize, b: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(a + i) != load<u8>(b + i)) return false;
  }
  return true;
}

/** One bit for each of the 64 bytes at `at` that equals the byte splatted in `wanted`. */
@inline
export function matchMask64(at: usize, wanted: v128): u64 {
  return (
    <u64>i8x16.bitmask(i8x16.eq(v128.load(at), wanted)) |
    (<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 16), wanted)) << 16) |
    (<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 32), wanted)) << 32) |
    (<u64>i8x16.bitmask(i8x16.eq(v128.load(at, 48), wanted)) << 48)
  );
}
