// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  byteAt,
  sameBytes,
} from './bytes';
import { isAscii, newlineFrom } from './newlines';
import { pastNumber, wordLength } from './scalars';
import { forgetEscape, pastString, sawEscape } from './strings';

/** Lines that the last call read before it stopped. */
export let fieldLines: u32 = 0;
/** Where the last call stopped: the end, or the first line that did not fit into the output. */
export let fieldResume: usize = 0;
/** The end of the texts that the last call gathered. */
export let gatherEnd: usize = 0;

const ROW_HEAD: usize = 16;
const SLOT: usize = 16;

/** Flags of a line (third number of a row). */
const VALID: u32 = 1;
const DOUBTFUL: u32 = 2;
/** Added for a valid line that is ASCII up to its last key: its columns are byte counts. */
const ASCII_LEAD: u32 = 4;

/** Longer texts are not gathered. */
const MAX_GATHERED: usize = 1024;

/** The kind of a value (last number of a slot). */
const PLAIN_STRING: u32 = 1;
const CODED_STRING: u32 = 2;
const NUMBER: u32 = 3;
const TRUE_WORD: u32 = 4;
const FALSE_WORD: u32 = 5;
const NULL_WORD: u32 = 6;
const OBJECT: u32 = 7;
const ARRAY: u32 = 8;

/** The number of levels that fit into the bits of `nesting`. */
const MAX_LEVELS: u32 = 63;

@inline
function pastBlanks(at: usize): usize {
  while (true) {
    const byte = byteAt(at);
    if (byte > 0x20) return at;
    if (byte != 0x20 && byte != 0x09 && byte != 0x0d) return at;
    at++;
  }
}

/**
 * Reads each line of [from, end) as one strict JSON object and locates the values of its top-level `keys`.
 *
 * A key is two u32 (address, length). Each row of `out` is four u32 (lines before, start, flags, end without the newline)
 * and four for each key (start of the key's quote, start and end of the value, kind of the value).
 * A line gets a row if it has all the keys (the first of duplicates), or if it is not proven to be a valid object: the
 * caller decides about those. Blank lines and valid lines that lack a key get no row.
 * The text of each value of a valid line is copied to `gather` if it is a plain string, number or word of at most
 * 1024 bytes; its length is end minus start, less the two quotes of a string.
 * 80 readable bytes that are not JSON must follow `end`, or the newline at `end - 1` must end the last line.
 */
export function fields(
  from: usize,
  end: usize,
  keys: usize,
  keyCount: u32,
  out: usize,
  outEnd: usize,
  gather: usize,
  gatherLimit: usize,
): u32 {
  const rowSize = ROW_HEAD + <usize>keyCount * SLOT;
  const lastSlot = rowSize - SLOT;
  let at = from;
  let line: u32 = 0;
  let rows: u32 = 0;
  while (at < end) {
    if (out + rowSize > outEnd || gather >= gatherLimit) break;
    const begin = at;
    at = pastBlanks(at);
    const opening = byteAt(at);
    let known = DOUBTFUL;
    if (at >= end || opening == NEWLINE) known = 0;
    else if (opening == OPEN_OBJECT) {
      const past = readObject(at, keys, keyCount, out + ROW_HEAD);
      // Only the end of the line may follow; the caller decides about everything else.
      if (past != 0 && (past >= end || byteAt(past) == NEWLINE)) {
        known = keysMissing == 0 ? VALID : 0;
        at = past;
      }
    }
    const stop = newlineFrom(at, end);
    if (known) {
      store<u32>(out, line);
      store<u32>(out, <u32>begin, 4);
      store<u32>(out, known, 8);
      store<u32>(out, <u32>stop, 12);
      if (known == VALID) {
        for (let slot = out + ROW_HEAD; slot < out + rowSize; slot += SLOT) gather = gatherText(slot, gather);
        if (keyCount != 0 && isAscii(begin, <usize>load<u32>(out + lastSlot))) store<u32>(out, VALID | ASCII_LEAD, 8);
      }
      out += rowSize;
      rows++;
    }
    if (stop < end) line++;
    at = stop + 1;
  }
  fieldLines = line;
  fieldResume = min(at, end);
  gatherEnd = gather;
  return rows;
}

/** The number of wanted keys that the last object lacks. */
let keysMissing: u32 = 0;

/** The address after the object at `at` and its trailing blanks, or 0 if it is invalid. Fills the slots of the keys. */
function readObject(at: usize, keys: usize, keyCount: u32, slots: usize): usize {
  for (let i: u32 = 0; i < keyCount; i++) store<u32>(slots + <usize>i * SLOT, 0, 12);
  keysMissing = keyCount;
  let slot: usize = 0;
  /** One bit for each open level, the innermost lowest: 1 for an object, 0 for an array. */
  let nesting: u64 = 1;
  let depth: u32 = 1;
  at = pastBlanks(at + 1);
  let empty = byteAt(at) == CLOSE_OBJECT;
  while (true) {
    if (!empty) {
      if (nesting & 1) {
        if (byteAt(at) != QUOTE) return 0;
        const key = at + 1;
        if (depth == 1) forgetEscape();
        at = pastString(key);
        if (at == 0) return 0;
        if (depth == 1) {
          if (sawEscape) return 0;
          slot = slotOf(key, <u32>(at - 1 - key), keys, keyCount, slots);
          if (slot) {
            store<u32>(slot, <u32>(key - 1));
            keysMissing--;
          }
        }
        at = pastBlanks(at);
        if (byteAt(at) != COLON) return 0;
        at = pastBlanks(at + 1);
      }
      const first = byteAt(at);
      if (slot != 0 && depth == 1) {
        store<u32>(slot, <u32>at, 4);
        forgetEscape();
      }
      if (first == QUOTE) {
        at = pastString(at + 1);
        if (at == 0) return 0;
      } else if (first == OPEN_OBJECT || first == OPEN_ARRAY) {
        if (depth == MAX_LEVELS) return 0;
        depth++;
        nesting = (nesting << 1) | (first == OPEN_OBJECT ? 1 : 0);
        at = pastBlanks(at + 1);
        empty = byteAt(at) == first + 2;
        continue;
      } else if (first > 0x60) {
        const length = wordLength(at);
        if (length == 0) return 0;
        at += <usize>length;
      } else {
        at = pastNumber(at);
        if (at == 0) return 0;
      }
      if (slot != 0 && depth == 1) {
        closeSlot(slot, at);
        slot = 0;
      }
    }
    empty = false;
    // After a value, or at the end of an empty container.
    while (true) {
      at = pastBlanks(at);
      const byte = byteAt(at);
      if (byte == COMMA) {
        at = pastBlanks(at + 1);
        break;
      }
      if (byte != (nesting & 1 ? CLOSE_OBJECT : CLOSE_ARRAY)) return 0;
      at++;
      depth--;
      nesting >>= 1;
      if (depth == 0) return pastBlanks(at);
      if (slot != 0 && depth == 1) {
        closeSlot(slot, at);
        slot = 0;
      }
    }
  }
}

/** The slot of a wanted key that has no value yet, or 0. */
@inline
function slotOf(key: usize, length: u32, keys: usize, keyCount: u32, slots: usize): usize {
  for (let i: u32 = 0; i < keyCount; i++) {
    const wanted = keys + (<usize>i << 3);
    if (load<u32>(wanted, 4) == length && sameBytes(key, <usize>load<u32>(wanted), length)) {
      const slot = slots + <usize>i * SLOT;
      return load<u32>(slot, 12) == 0 ? slot : 0;
    }
  }
  return 0;
}

function closeSlot(slot: usize, end: usize): void {
  const begin = <usize>load<u32>(slot, 4);
  store<u32>(slot, <u32>end, 8);
  let kind = NUMBER;
  switch (byteAt(begin)) {
    case QUOTE:
      kind = !sawEscape && isAscii(begin, end) ? PLAIN_STRING : CODED_STRING;
      break;
    case OPEN_OBJECT:
      kind = OBJECT;
      break;
    case OPEN_ARRAY:
      kind = ARRAY;
      break;
    case 0x74:
      kind = TRUE_WORD;
      break;
    case 0x66:
      kind = FALSE_WORD;
      break;
    case 0x6e:
      kind = NULL_WORD;
      break;
  }
  store<u32>(slot, kind, 12);
}

/** Copies the text of a plain value to `gather` and returns the new end. */
@inline
function gatherText(slot: usize, gather: usize): usize {
  const kind = load<u32>(slot, 12);
  let begin = <usize>load<u32>(slot, 4);
  let end = <usize>load<u32>(slot, 8);
  if (kind == CODED_STRING || kind >= OBJECT) return gather;
  if (kind == PLAIN_STRING) {
    begin++;
    end--;
  }
  const length = end - begin;
  if (length > MAX_GATHERED) return gather;
  if (length <= 16) v128.store(gather, v128.load(begin));
  else memory.copy(gather, begin, length);
  return gather + length;
}
