/** Finds offsets where text can be cut between characters. */
import type { Encoding } from './encoding.ts';

/** The last character boundary at or before `at`; `bytes` must begin at a boundary. */
export function characterBoundary(encoding: Encoding, bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  if (encoding.name === 'utf-8') return utf8Boundary(bytes, at);
  if (encoding.unit === 2) return utf16Boundary(bytes, at, encoding.name === 'utf-16le');
  const lengthAt = DOUBLE_BYTE[encoding.name];
  if (lengthAt === undefined) return at;
  let boundary = 0;
  for (;;) {
    const next = boundary + lengthAt(bytes, boundary);
    if (next > at) return boundary;
    boundary = next;
  }
}

/** A fourth continuation byte in a row belongs to no character, so a cut before it is safe. */
function utf8Boundary(bytes: Uint8Array, at: number): number {
  for (let back = 0; back < 4 && back <= at; back++) {
    if ((bytes[at - back]! & 0xc0) !== 0x80) return at - back;
  }
  return at;
}

function utf16Boundary(bytes: Uint8Array, at: number, little: boolean): number {
  const even = at - (at % 2);
  const high = little ? 1 : 0;
  const before = bytes[even - 2 + high] ?? 0;
  const after = bytes[even + high] ?? 0;
  const insidePair = even >= 2 && (before & 0xfc) === 0xd8 && (after & 0xfc) === 0xdc;
  return insidePair ? even - 2 : even;
}

/** The length of a character, in encodings where boundaries are known only by reading from the start. */
export type LengthAt = (bytes: Uint8Array, at: number) => number;

/** A lead byte and its trail byte; an invalid trail byte is a character of its own, as in the decoders. */
function pair(isLead: (byte: number) => boolean, lowestTrail: number): LengthAt {
  return (bytes, at) => (isLead(bytes[at]!) && (bytes[at + 1] ?? 0) >= lowestTrail ? 2 : 1);
}

const isHigh = (byte: number) => byte >= 0x81 && byte <= 0xfe;
const gb18030: LengthAt = (bytes, at) => {
  if (!isHigh(bytes[at]!)) return 1;
  const second = bytes[at + 1] ?? 0;
  if (second >= 0x30 && second <= 0x39) return isHigh(bytes[at + 2] ?? 0) ? 4 : 1;
  return second >= 0x40 ? 2 : 1;
};
const eucJp: LengthAt = (bytes, at) => {
  if (bytes[at] === 0x8f && (bytes[at + 1] ?? 0) >= 0xa1) return 3;
  return bytes[at]! >= 0x8e && (bytes[at + 1] ?? 0) >= 0xa1 ? 2 : 1;
};

export const DOUBLE_BYTE: Readonly<Record<string, LengthAt>> = {
  gbk: gb18030,
  gb18030,
  'euc-jp': eucJp,
  'euc-kr': pair(isHigh, 0x41),
  big5: pair(isHigh, 0x40),
  shift_jis: pair((byte) => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc), 0x40),
};
