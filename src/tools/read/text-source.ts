/** Finds and counts the lines of a text in windows, without loading it. */
import type { Encoding } from '../../text/encoding/encoding.ts';
import { countNewlines, lineOffset } from '../../text/scan/lines.ts';
import { type ByteSource, readRange } from '../../text/scan/source.ts';

export interface TextSource {
  readonly source: ByteSource;
  readonly encoding: Encoding;
  /** The offset after a byte order mark. */
  readonly begin: number;
  /** The line ending: a carriage return only in a file without any newline. */
  readonly newline: 10 | 13;
}

const WINDOW = 1 << 18;
/** The bytes between two checks of the abort signal. */
const SLICE = 1 << 26;

/** Undefined when the text has fewer lines. */
export function startOfLine(text: TextSource, line: number): number | undefined {
  if (text.source.size <= text.begin) return undefined;
  if (line <= 1) return text.begin;
  if (isPlain(text)) return lineOffset(text.source, line);
  let missing = line - 1;
  for (const end of lineEnds(text)) {
    missing--;
    if (missing === 0) return end < text.source.size ? end : undefined;
  }
  return undefined;
}

/** Throws the reason of the signal when it aborts. */
export async function newlinesIn(text: TextSource, signal: AbortSignal | undefined): Promise<number> {
  const { source } = text;
  let count = 0;
  if (!isPlain(text)) {
    for (const { from, bytes } of windows(text)) {
      for (const _ of newlinesAmong(text, bytes)) count++;
      if ((from - text.begin + WINDOW) % SLICE === 0) await yieldTurn(signal);
    }
    return count;
  }
  for (let from = 0; from < source.size; from += SLICE) {
    const size = Math.min(SLICE, source.size - from);
    const base = from;
    count += countNewlines({ size, read: (offset, into) => source.read(base + offset, into) }, size);
    if (from + size < source.size) await yieldTurn(signal);
  }
  return count;
}

/** The number of lines for a number of newlines: text after the last newline is a line too. */
export function linesFor(text: TextSource, newlines: number): number {
  const { source, encoding, begin } = text;
  if (source.size <= begin) return 0;
  const tail = readRange(source, source.size - encoding.unit, source.size);
  return newlines + (newlineAt(text, tail, 0) ? 0 : 1);
}

export function newlineAt({ encoding, newline }: TextSource, bytes: Uint8Array, at: number): boolean {
  if (encoding.unit === 1) return bytes[at] === newline;
  return encoding.name === 'utf-16le'
    ? bytes[at] === newline && bytes[at + 1] === 0
    : bytes[at] === 0 && bytes[at + 1] === newline;
}

/** The offset of the first newline, or -1. */
export function findNewline(text: TextSource, bytes: Uint8Array): number {
  const [first = -1] = newlinesAmong(text, bytes);
  return first;
}

/** The offsets of newlines; the bytes must begin with a whole code unit. */
function* newlinesAmong(text: TextSource, bytes: Uint8Array): Generator<number> {
  const { unit } = text.encoding;
  for (let at = bytes.indexOf(text.newline); at >= 0; at = bytes.indexOf(text.newline, at + 1)) {
    const start = at - (at % unit);
    if (newlineAt(text, bytes, start)) yield start;
  }
}

function isPlain({ encoding, newline }: TextSource): boolean {
  return encoding.unit === 1 && newline === 10;
}

/** The offsets after each newline. */
function* lineEnds(text: TextSource): Generator<number> {
  for (const { from, bytes } of windows(text)) {
    for (const at of newlinesAmong(text, bytes)) yield from + at + text.encoding.unit;
  }
}

function* windows({ source, begin }: TextSource): Generator<{ readonly from: number; readonly bytes: Uint8Array }> {
  for (let from = begin; from < source.size; from += WINDOW) {
    const bytes = readRange(source, from, Math.min(source.size, from + WINDOW));
    if (bytes.length === 0) return;
    yield { from, bytes };
  }
}

/** Yields to the event loop, so that the signal can abort. */
async function yieldTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal?.throwIfAborted();
}
