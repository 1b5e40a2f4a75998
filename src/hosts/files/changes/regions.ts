import type { ByteSplice } from '../shape.ts';
import { COUNTED_FILE, type Region, WHOLE_FILE } from './kept-file.ts';

const NEWLINE = 10;
/** Context lines before and after the line of a change. */
const CONTEXT_LINES = 3;
/** The longest context; limits what a change costs in a file with one endless line. */
const CONTEXT_BYTES = 400;
/** About what one region costs: context, the change, its header, and the work. */
const REGION_BYTES = 1024;
/** With this many splices, those up to SHORT_BYTES are not shrunk. */
const MANY = 64;
const SHORT_BYTES = 256;
/** The context of a change if no line end is near. */
const INSIDE_LINE_BYTES = 64;

export interface RecordSource {
  readonly size: number;
  /** All of it, if it is in memory. */
  readonly bytes?: Buffer;
  read(offset: number, into: Uint8Array): number;
}

/** The same source, read into memory unless it is too big. */
export function inMemory(source: RecordSource): RecordSource {
  if (source.size > COUNTED_FILE) return { size: source.size, read: (offset, into) => source.read(offset, into) };
  if (source.bytes !== undefined) return source;
  const bytes = readRange(source, 0, source.size);
  return { size: bytes.length, bytes, read: (offset, into) => bytes.copy(into, 0, offset, offset + into.length) };
}

/** Throws if the source ends before `end`. */
export function readRange(source: RecordSource, start: number, end: number): Buffer {
  if (source.bytes !== undefined) return source.bytes.subarray(start, end);
  const bytes = Buffer.allocUnsafe(end - start);
  for (let at = 0; at < bytes.length; ) {
    const count = source.read(start + at, bytes.subarray(at));
    if (count === 0) throw new RangeError(`the file ends before byte ${end}`);
    at += count;
  }
  return bytes;
}

/** The splices of a file as regions, in order, without those that change nothing. A small file is one region, if it fits. */
export function regionsOf(source: RecordSource, splices: readonly ByteSplice[], room: number): readonly Region[] {
  const real = [...splices]
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(splices.length > MANY ? (splice) => shrinkLong(source, splice) : (splice) => shrink(source, splice))
    .filter(({ start, end, bytes }) => end > start || bytes.length > 0);
  if (source.size <= room && isKeptWhole(source.size, real.length))
    return [{ from: 0, line: 0, old: readRange(source, 0, source.size), splices: real }];
  const regions: { from: number; to: number; splices: ByteSplice[] }[] = [];
  for (const splice of real) {
    const from = contextBefore(source, splice.start);
    const to = contextAfter(source, splice.end);
    const last = regions.at(-1);
    if (last === undefined || from > last.to) regions.push({ from, to, splices: [splice] });
    else {
      last.to = Math.max(last.to, to);
      last.splices.push(splice);
    }
  }
  if (regions.length === 0) return [];
  const line = lineCounter(source);
  return regions.map((region) => ({
    from: region.from,
    ...line(region.from),
    // A copy, so that the rest of the file need not stay in memory until the record is written.
    old: Buffer.from(readRange(source, region.from, region.to)),
    splices: region.splices.map(({ start, end, bytes }) => {
      return { start: start - region.from, end: end - region.from, bytes };
    }),
  }));
}

/** Also a longer file is kept whole, if the regions of so many changes would be about as large. */
function isKeptWhole(size: number, changes: number): boolean {
  return size <= WHOLE_FILE || (size <= COUNTED_FILE && changes * REGION_BYTES >= size);
}

/** Of many splices a short one is kept unchanged, unless it changes nothing: there is little to remove. */
function shrinkLong(source: RecordSource, splice: ByteSplice): ByteSplice {
  const { start, end, bytes } = splice;
  if (source.bytes === undefined || bytes.length > SHORT_BYTES) return shrink(source, splice);
  const same = bytes.length === end - start && source.bytes.compare(bytes, 0, bytes.length, start, end) === 0;
  return same ? { start, end: start, bytes: bytes.subarray(0, 0) } : splice;
}

/** Removes equal bytes at both ends of a splice. */
function shrink(source: RecordSource, splice: ByteSplice): ByteSplice {
  if (splice.end === splice.start || splice.bytes.length === 0) return splice;
  const { start, end, bytes } = splice;
  // Creating a view for each of many splices costs more than comparing them.
  const old = source.bytes ?? readRange(source, start, end);
  const from = source.bytes === undefined ? 0 : start;
  const length = end - start;
  const shorter = Math.min(length, bytes.length);
  let head = 0;
  while (head < shorter && old[from + head] === bytes[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[from + length - 1 - tail] === bytes[bytes.length - 1 - tail]) tail++;
  if (head + tail === 0) return splice;
  return { start: start + head, end: end - tail, bytes: bytes.subarray(head, bytes.length - tail) };
}

function contextBefore(source: RecordSource, start: number): number {
  const low = Math.max(0, start - CONTEXT_BYTES);
  const window = readRange(source, low, start);
  let found: number | undefined;
  let seen = 0;
  for (let at = window.lastIndexOf(NEWLINE); at >= 0 && seen <= CONTEXT_LINES; seen++) {
    found = low + at + 1;
    at = at === 0 ? -1 : window.lastIndexOf(NEWLINE, at - 1);
  }
  if (seen > CONTEXT_LINES) return found!;
  if (low === 0) return 0;
  return found ?? start - INSIDE_LINE_BYTES;
}

function contextAfter(source: RecordSource, end: number): number {
  const high = Math.min(source.size, end + CONTEXT_BYTES);
  const window = readRange(source, end, high);
  let found: number | undefined;
  let seen = 0;
  for (let at = window.indexOf(NEWLINE); at >= 0 && seen <= CONTEXT_LINES; seen++) {
    found = end + at + 1;
    at = window.indexOf(NEWLINE, at + 1);
  }
  if (seen > CONTEXT_LINES) return found!;
  if (high === source.size) return source.size;
  return found ?? end + INSIDE_LINE_BYTES;
}

/** Counts newlines up to increasing offsets. */
function lineCounter(source: RecordSource): (until: number) => { readonly line?: number } {
  if (source.size > COUNTED_FILE) return () => ({});
  const bytes = readRange(source, 0, source.size);
  let line = 0;
  let next = bytes.indexOf(NEWLINE);
  return (until) => {
    while (next >= 0 && next < until) {
      line++;
      next = bytes.indexOf(NEWLINE, next + 1);
    }
    return { line };
  };
}
