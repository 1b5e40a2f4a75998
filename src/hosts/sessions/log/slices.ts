import type { LogSlice } from '../../../wire/session.ts';
import type { OutputLog } from './log.ts';
import { incompleteSequence, plainText } from './plain-text.ts';
import { decode, incompleteHead, incompleteTail } from './utf8.ts';

/** The most UTF-8 bytes per UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;
/** A cut moves to the start of a line that begins within this distance. */
const NEAR_LINE = 2000;

/**
 * The newest text from a position on, at most `maxChars` before escape sequences are dropped. Unless `complete`, an incomplete
 * character or escape sequence at the end is left for the next call.
 */
export function newestText(log: OutputLog, from: number, maxChars: number, complete: boolean): LogSlice {
  const upTo = log.end;
  const window = Math.max(from, upTo - MOST_BYTES_PER_UNIT * (maxChars + 2));
  const { bytes, start } = lastPiece(log, window, upTo);
  let first = start > from ? incompleteHead(bytes) : 0;
  const last = complete ? bytes.length : Math.max(first, bytes.length - incompleteEnd(bytes));
  let raw = decode(bytes.subarray(first, last));
  while (raw.length > maxChars) {
    // A unit has at least one byte, so this never cuts too much.
    first += raw.length - maxChars;
    first += incompleteHead(bytes.subarray(first, last));
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

/** The oldest text of a log, ending with a line if one ends near. */
export function oldestText(log: OutputLog, maxChars: number): LogSlice {
  const piece = log.next(0, maxChars * MOST_BYTES_PER_UNIT);
  if (piece === undefined || piece.start > 0) return { text: '', start: 0, end: 0, omitted: 0 };
  const { bytes } = piece;
  let last = bytes.length - incompleteEnd(bytes);
  let raw = decode(bytes.subarray(0, last));
  while (raw.length > maxChars) {
    last -= raw.length - maxChars;
    last -= incompleteTail(bytes.subarray(0, last));
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

/** The start and the end of a log within a limit, with a line between them that counts what is left out. */
export function wholeText(log: OutputLog, maxChars: number, complete: boolean): LogSlice {
  const newest = newestText(log, 0, maxChars, complete);
  if (newest.omitted === 0) return newest;
  const head = oldestText(log, Math.floor(maxChars / HEAD_SHARE));
  const tail = newestText(log, head.end, maxChars - head.text.length, complete);
  const marker = `[… ${tail.omitted.toLocaleString('en-US')} bytes left out …]\n`;
  const joint = head.text === '' || head.text.endsWith('\n') ? '' : '\n';
  return { text: `${head.text}${joint}${marker}${tail.text}`, start: 0, end: tail.end, omitted: tail.omitted };
}

/** The kept bytes before `to`, back to the nearest gap. */
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

function incompleteEnd(bytes: Uint8Array): number {
  const character = incompleteTail(bytes);
  const text = Buffer.from(bytes.subarray(Math.max(0, bytes.length - 512), bytes.length - character)).toString(
    'latin1',
  );
  const sequence = incompleteSequence(text);
  return sequence === 0 ? character : sequence + character;
}
