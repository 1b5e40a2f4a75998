import type { ByteSplice } from '../shape.ts';
import { COUNTED_FILE, type Region, WHOLE_FILE } from './kept.ts';

const NEWLINE = 10;
/** Lines before and behind a change, and the line that it stands in. */
const CONTEXT_LINES = 3;
/** How far the context may reach; it holds the price of a change in a file of one endless line. */
const CONTEXT_BYTES = 400;
/** About what one region takes: lines before and behind, the change, its place in the header, and the work. */
const REGION_BYTES = 1024;
/** From so many splices on the short ones are not looked into, and how long these are. */
const MANY = 64;
const SHORT_BYTES = 256;
/** What is kept beside a change when not even the end of its line is near. */
const INSIDE_LINE_BYTES = 64;

/** Bytes that can be read anywhere. */
export interface Source {
  readonly size: number;
  /** All of it, when it is in memory; looking at it then costs nothing. */
  readonly bytes?: Buffer;
  read(offset: number, into: Uint8Array): number;
}

/** The same source, read once if it is not too big for that. */
export function inMemory(source: Source): Source {
  if (source.size > COUNTED_FILE) return { size: source.size, read: (offset, into) => source.read(offset, into) };
  if (source.bytes !== undefined) return source;
  const bytes = readRange(source, 0, source.size);
  return { size: bytes.length, bytes, read: (offset, into) => bytes.copy(into, 0, offset, offset + into.length) };
}

/** The bytes from `start` to `end`; a source that has become shorter is an error. */
export function readRange(source: Source, start: number, end: number): Buffer {
  if (source.bytes !== undefined) return source.bytes.subarray(start, end);
  const bytes = Buffer.allocUnsafe(end - start);
  for (let at = 0; at < bytes.length; ) {
    const count = source.read(start + at, bytes.subarray(at));
    if (count === 0) throw new RangeError(`the file ends before byte ${end}`);
    at += count;
  }
  return bytes;
}

/**
 * The splices of a file as regions, in order; those that change nothing are left out. A small file is one region, if
 * there is room for it.
 */
export function regionsOf(source: Source, splices: readonly ByteSplice[], room: number): readonly Region[] {
  const real = [...splices]
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(splices.length > MANY ? (splice) => shrinkLong(source, splice) : (splice) => shrink(source, splice))
    .filter(({ start, end, bytes }) => end > start || bytes.length > 0);
  if (source.size <= room && isKeptWhole(source.size, real.length))
    return [{ from: 0, line: 0, old: readRange(source, 0, source.size), splices: real }];
  const regions: { from: number; to: number; splices: ByteSplice[] }[] = [];
  for (const splice of real) {
    const from = contextBefore(source, splice.start);
    const to = contextBehind(source, splice.end);
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

/** Also a longer file, when the regions of so many changes would hold about as much. */
function isKeptWhole(size: number, changes: number): boolean {
  return size <= WHOLE_FILE || (size <= COUNTED_FILE && changes * REGION_BYTES >= size);
}

/** Of many splices a short one is kept as it is, unless it changes nothing: there is little to take off. */
function shrinkLong(source: Source, splice: ByteSplice): ByteSplice {
  const { start, end, bytes } = splice;
  if (source.bytes === undefined || bytes.length > SHORT_BYTES) return shrink(source, splice);
  const same = bytes.length === end - start && source.bytes.compare(bytes, 0, bytes.length, start, end) === 0;
  return same ? { start, end: start, bytes: bytes.subarray(0, 0) } : splice;
}

/** Takes off what a splice writes again as it was. */
function shrink(source: Source, splice: ByteSplice): ByteSplice {
  if (splice.end === splice.start || splice.bytes.length === 0) return splice;
  const { start, end, bytes } = splice;
  // A view for each of many splices costs more than comparing them.
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

function contextBefore(source: Source, start: number): number {
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

function contextBehind(source: Source, end: number): number {
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

/** Counts newlines up to rising offsets. */
function lineCounter(source: Source): (until: number) => { readonly line?: number } {
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
