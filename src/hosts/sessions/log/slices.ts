import type { LogSlice } from '../../../wire/session.ts';
import type { OutputLog } from './log.ts';
import { openSequence, plainText } from './plain-text.ts';
import { decode, openHead, openTail } from './utf8.ts';

/** A UTF-16 unit never takes more bytes than this. */
const MOST_BYTES_PER_UNIT = 3;
/** A cut moves forward to the start of a line when one begins so near. */
const NEAR_LINE = 2000;

/**
 * The newest text from a position on, at most `maxChars` of it before escape sequences are dropped. While more may
 * come, a character or escape sequence that is not complete is left for the next time.
 */
export function newestText(log: OutputLog, from: number, maxChars: number, complete: boolean): LogSlice {
  const upTo = log.end;
  const window = Math.max(from, upTo - MOST_BYTES_PER_UNIT * (maxChars + 2));
  const { bytes, start } = lastPiece(log, window, upTo);
  let first = start > from ? openHead(bytes) : 0;
  const last = complete ? bytes.length : Math.max(first, bytes.length - openEnd(bytes));
  let raw = decode(bytes.subarray(first, last));
  while (raw.length > maxChars) {
    // A unit takes a byte at least, so this never cuts too much.
    first += raw.length - maxChars;
    first += openHead(bytes.subarray(first, last));
    raw = decode(bytes.subarray(first, last));
  }
  if (start + first > from) {
    const newline = bytes.subarray(first, Math.min(last, first + NEAR_LINE)).indexOf(10);
    if (newline >= 0 && first + newline + 1 < last) {
      first += newline + 1;
      raw = decode(bytes.subarray(first, last));
    }
  }
  return { text: plainText(raw), start: start + first, end: start + last, omitted: start + first - from };
}

/** The oldest text of a log, ended at a line where one ends near. */
export function oldestText(log: OutputLog, maxChars: number): LogSlice {
  const piece = log.next(0, maxChars * MOST_BYTES_PER_UNIT);
  if (piece === undefined || piece.start > 0) return { text: '', start: 0, end: 0, omitted: 0 };
  const { bytes } = piece;
  let last = bytes.length - openEnd(bytes);
  let raw = decode(bytes.subarray(0, last));
  while (raw.length > maxChars) {
    last -= raw.length - maxChars;
    last -= openTail(bytes.subarray(0, last));
    raw = decode(bytes.subarray(0, last));
  }
  const newline = bytes.subarray(0, last).lastIndexOf(10);
  if (newline >= 0 && last - newline <= NEAR_LINE) {
    last = newline + 1;
    raw = decode(bytes.subarray(0, last));
  }
  return { text: plainText(raw), start: 0, end: last, omitted: 0 };
}

const HEAD_SHARE = 4;

/** The start and the end of a log within a size, with a line between them that counts what is left out. */
export function wholeText(log: OutputLog, maxChars: number, complete: boolean): LogSlice {
  const newest = newestText(log, 0, maxChars, complete);
  if (newest.omitted === 0) return newest;
  const head = oldestText(log, Math.floor(maxChars / HEAD_SHARE));
  const tail = newestText(log, head.end, maxChars - head.text.length, complete);
  const marker = `[… ${tail.omitted.toLocaleString('en-US')} bytes left out …]\n`;
  const joint = head.text === '' || head.text.endsWith('\n') ? '' : '\n';
  return { text: `${head.text}${joint}${marker}${tail.text}`, start: 0, end: tail.end, omitted: tail.omitted };
}

/** The kept bytes up to an end without a gap inside: those in front of a gap are left out. */
function lastPiece(log: OutputLog, from: number, to: number): { readonly bytes: Buffer; readonly start: number } {
  const pieces = log.between(from, to);
  let start = to;
  const joined: Buffer[] = [];
  for (const piece of [...pieces].reverse()) {
    if (piece.start + piece.bytes.length !== start) break;
    joined.unshift(piece.bytes);
    start = piece.start;
  }
  return { bytes: joined.length === 1 ? joined[0]! : Buffer.concat(joined), start };
}

function openEnd(bytes: Uint8Array): number {
  const character = openTail(bytes);
  const text = Buffer.from(bytes.subarray(Math.max(0, bytes.length - 512), bytes.length - character)).toString(
    'latin1',
  );
  const sequence = openSequence(text);
  return sequence === 0 ? character : sequence + character;
}
