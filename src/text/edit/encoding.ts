/** Limits for edits of files that are not entirely UTF-8. */
import { decodeText } from '../lines/bytes.ts';
import { type ByteSource, fill } from '../scan/source.ts';

/** `start` is in the caller's units. */
export interface Replacement {
  readonly start: number;
  readonly old: string;
  readonly put: string;
}

/** Why a replacement is refused: it would add characters of another encoding, or lose bytes of an unknown encoding. */
export interface EncodingConflict {
  readonly start: number;
  readonly harm: 'brings-other-encoding' | 'loses-bytes';
}

const BEYOND_ASCII = /[\u0080-\uFFFF]/;
/** How `decodeText` represents a byte that is not UTF-8. */
const BROKEN_BYTE = /[\uDC80-\uDCFF]/u;

/** Whether decoded text contains bytes that are not UTF-8. */
export function hasBrokenBytes(text: string): boolean {
  return BROKEN_BYTE.test(text);
}

/** The first conflict. Calls `isDamaged` at most once, and only when it matters. */
export function findEncodingConflict(
  replacements: Iterable<Replacement>,
  isDamaged: () => boolean,
): EncodingConflict | undefined {
  let damaged: boolean | undefined;
  for (const { start, old, put } of replacements) {
    const changed = withoutShared(old, put);
    if (hasBrokenBytes(changed.old)) return { start, harm: 'loses-bytes' };
    if (!BEYOND_ASCII.test(changed.put)) continue;
    damaged ??= isDamaged();
    if (!damaged) return undefined;
    return { start, harm: 'brings-other-encoding' };
  }
  return undefined;
}

/** Both texts without their common prefix and suffix. */
function withoutShared(old: string, put: string): { readonly old: string; readonly put: string } {
  const shorter = Math.min(old.length, put.length);
  let head = 0;
  while (head < shorter && old.charCodeAt(head) === put.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < shorter - head && old.charCodeAt(old.length - 1 - tail) === put.charCodeAt(put.length - 1 - tail))
    tail++;
  return { old: old.slice(head, old.length - tail), put: put.slice(head, put.length - tail) };
}

const WINDOW = 1 << 20;
/** The most bytes of one character that a window can cut off. */
const MOST_CUT = 3;

/** Whether a large source contains bytes that are not UTF-8. */
export function isDamagedSource(source: ByteSource): boolean {
  const window = new Uint8Array(WINDOW);
  for (let offset = 0; offset < source.size; ) {
    const got = fill(source, offset, window);
    if (got === 0) return false;
    const atEnd = offset + got >= source.size;
    const whole = atEnd ? got : got - cutOff(window.subarray(0, got));
    if (hasBrokenBytes(decodeText(window.subarray(0, whole)))) return true;
    offset += whole;
  }
  return false;
}

/** How many bytes at the end may be the start of a character. */
function cutOff(bytes: Uint8Array): number {
  for (let back = 1; back <= MOST_CUT; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back;
    if (byte < 0x80) return 0;
  }
  return 0;
}
