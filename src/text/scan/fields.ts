import { decodeText, encodeText } from '../lines/bytes.ts';
import { LAYOUT, type Scanner } from './scan.ts';

/** Flags of a row, as in assembly/fields.ts. */
export const VALID = 1;
export const ASCII_LEAD = 4;

export const FIELD = {
  none: 0,
  plain: 1,
  coded: 2,
  number: 3,
  true: 4,
  false: 5,
  null: 6,
  object: 7,
  array: 8,
} as const;

const MAX_GATHERED = 1024;
const MAX_KEY_BYTES = 128;

/** 32-bit words of a row before its slots, and of a slot. */
export const ROW_HEAD = 4;
export const SLOT = 4;

const KEY_TABLE = LAYOUT.tables + 0x3000;
const KEY_TEXTS = LAYOUT.texts + 0x3000;

/** True if the bytes of a key can be compared with the bytes of a line. */
export function isComparableKey(key: string): boolean {
  const bytes = encodeText(key);
  return bytes.length <= MAX_KEY_BYTES && decodeText(bytes) === key;
}

/** Writes the wanted keys, at most 100, into the scanner's memory. */
export function placeKeys(scanner: Scanner, keys: readonly string[]): void {
  let at = KEY_TEXTS;
  for (const [i, key] of keys.entries()) {
    const bytes = encodeText(key);
    scanner.bytes.set(bytes, at);
    scanner.words[KEY_TABLE / 4 + i * 2] = at;
    scanner.words[KEY_TABLE / 4 + i * 2 + 1] = bytes.length;
    at += bytes.length;
  }
}

export function keyAt(scanner: Scanner, number: number): { readonly address: number; readonly length: number } {
  const at = KEY_TABLE / 4 + number * 2;
  return { address: scanner.words[at] ?? 0, length: scanner.words[at + 1] ?? 0 };
}

/** Reads the fields of the lines in [from, end): rows to `out`, texts to `gather`. See assembly/fields.ts. */
export function readFields(
  scanner: Scanner,
  keyCount: number,
  from: number,
  end: number,
  out: number,
  gather: number,
): number {
  return scanner.wasm.fields(from, end, KEY_TABLE, keyCount, out, LAYOUT.rowsEnd, gather, LAYOUT.gatherLimit);
}

/** The number of gathered bytes of a field's text; -1 if it was not gathered. */
export function gatheredLength(kind: number, begin: number, end: number): number {
  if (kind === FIELD.coded || kind >= FIELD.object) return -1;
  const length = kind === FIELD.plain ? end - begin - 2 : end - begin;
  return length > MAX_GATHERED ? -1 : length;
}
