// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.

/** Kinds of template pieces. */
const LITERAL: u32 = 0;
const LINE: u32 = 1;
const COLUMN: u32 = 2;
const VALUE: u32 = 3;
const TYPE: u32 = 4;

/** The flags of a row and the kinds of values, as in ./fields. */
const VALID: u32 = 1;
const ASCII_LEAD: u32 = 4;
const PLAIN_STRING: u32 = 1;
const CODED_STRING: u32 = 2;
const OBJECT: u32 = 7;
const MAX_VALUE: usize = 1024;

/** Space for the digits of a number, which are written backwards from its end. */
const DIGITS: usize = 24;

/** The end of the text that the last call wrote. */
export let formatEnd: usize = 0;

/**
 * Formats rows of `fields` with a template: `pieceCount` pieces of three u32 (kind, address, length).
 * `types` has an address and a length for each kind of value; `scratch` is space for two numbers.
 * Returns the number of rows written. Stops at a row that the caller must format (not proven, a value that is not plain,
 * a column that is not a byte count), or if fewer than `reserve` bytes are left in `out`.
 */
export function formatRows(
  rows: usize,
  count: u32,
  rowSize: u32,
  lineBase: f64,
  template: usize,
  pieceCount: u32,
  types: usize,
  scratch: usize,
  out: usize,
  outEnd: usize,
  reserve: usize,
): u32 {
  const lineEnd = scratch + DIGITS;
  const columnEnd = lineEnd + DIGITS;
  const templateEnd = template + <usize>pieceCount * 12;
  let done: u32 = 0;
  for (let row = rows; done < count; row += <usize>rowSize) {
    const slot = row + <usize>rowSize - 16;
    const kind = load<u32>(slot, 12);
    if (load<u32>(row, 8) != (VALID | ASCII_LEAD) || kind == CODED_STRING || kind >= OBJECT) break;
    if (out + reserve > outEnd) break;
    let begin = <usize>load<u32>(slot, 4);
    let length = <usize>load<u32>(slot, 8) - begin;
    if (kind == PLAIN_STRING) {
      begin++;
      length -= 2;
    }
    if (length > MAX_VALUE) break;
    const lineBegin = writeNumber(<u64>lineBase + <u64>load<u32>(row) + 1, lineEnd);
    const columnBegin = writeNumber(<u64>(load<u32>(slot) - load<u32>(row, 4) + 1), columnEnd);
    for (let piece = template; piece < templateEnd; piece += 12) {
      switch (load<u32>(piece)) {
        case LITERAL:
          out = copy(out, <usize>load<u32>(piece, 4), <usize>load<u32>(piece, 8));
          break;
        case LINE:
          out = copy(out, lineBegin, lineEnd - lineBegin);
          break;
        case COLUMN:
          out = copy(out, columnBegin, columnEnd - columnBegin);
          break;
        case VALUE:
          out = copy(out, begin, length);
          break;
        case TYPE:
          out = copy(out, <usize>load<u32>(types + (<usize>kind << 3)), <usize>load<u32>(types + (<usize>kind << 3), 4));
          break;
      }
    }
    done++;
  }
  formatEnd = out;
  return done;
}

/** Copies in steps of 16 bytes; the next copy overwrites the bytes beyond the length. */
@inline
function copy(to: usize, from: usize, length: usize): usize {
  const end = to + length;
  while (true) {
    v128.store(to, v128.load(from));
    to += 16;
    from += 16;
    if (to >= end) return end;
  }
}

/** Writes a number that ends at `end`; returns its start. */
function writeNumber(value: u64, end: usize): usize {
  let at = end;
  if (value < 0xffff_ffff) {
    let small = <u32>value;
    do {
      store<u8>(--at, 0x30 + (small % 10));
      small /= 10;
    } while (small);
    return at;
  }
  do {
    store<u8>(--at, 0x30 + <u32>(value % 10));
    value /= 10;
  } while (value);
  return at;
}
