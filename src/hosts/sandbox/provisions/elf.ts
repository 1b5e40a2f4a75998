/** Reads the loader, the needed libraries and the search path of a 64-bit ELF file. */
import { closeSync, openSync, readSync } from 'node:fs';

export interface ElfFacts {
  /** Undefined for libraries and static programs. */
  readonly loader: string | undefined;
  readonly needed: readonly string[];
  /** RPATH and RUNPATH; `$ORIGIN` is the folder of the file. */
  readonly searched: readonly string[];
}

const HEADER_BYTES = 64;
const LOAD = 1;
const DYNAMIC = 2;
const INTERPRETER = 3;
const NEEDED = 1;
const STRINGS = 5;
const RPATH = 15;
const RUNPATH = 29;
const LONGEST_NAME = 4096;
const MOST_SEGMENTS = 256;
const MOST_DYNAMIC_BYTES = 1 << 20;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

type Read = (offset: number, length: number) => Buffer;

/** Undefined when the file is not a 64-bit little-endian ELF file. */
export function readElf(path: string): ElfFacts | undefined {
  const fd = openSync(path, 'r');
  try {
    return factsFrom((offset, length) => {
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the file is truncated
    throw error;
  } finally {
    closeSync(fd);
  }
}

function factsFrom(read: Read): ElfFacts | undefined {
  const header = read(0, HEADER_BYTES);
  const is64LittleEndian = header.toString('latin1', 0, 6) === '\x7fELF\x02\x01';
  if (!is64LittleEndian) return undefined;
  const segments = segmentsOf(read, header);
  const interpreter = segments.find(({ type }) => type === INTERPRETER);
  const loader = interpreter === undefined ? undefined : textAt(read, interpreter.offset);
  const dynamic = segments.find(({ type }) => type === DYNAMIC);
  if (dynamic === undefined) return { loader, needed: [], searched: [] };
  const entries = entriesOf(read(dynamic.offset, Math.min(dynamic.size, MOST_DYNAMIC_BYTES)));
  const strings = entries.find(([tag]) => tag === STRINGS)?.[1];
  const home = segments.find(
    ({ type, address, size }) =>
      type === LOAD && strings !== undefined && strings >= address && strings < address + size,
  );
  if (strings === undefined || home === undefined) return undefined;
  const table = strings - home.address + home.offset;
  const named = (...tags: readonly number[]): readonly string[] =>
    entries.filter(([tag]) => tags.includes(tag)).map(([, value]) => textAt(read, table + value));
  return { loader, needed: named(NEEDED), searched: named(RPATH, RUNPATH).flatMap((list) => list.split(':')) };
}

function segmentsOf(read: Read, header: Buffer): readonly Segment[] {
  const start = number(header, 32);
  const bytes = header.readUInt16LE(54);
  const count = Math.min(header.readUInt16LE(56), MOST_SEGMENTS);
  const table = read(start, bytes * count);
  return Array.from({ length: count }, (_, i) => ({
    type: table.readUInt32LE(i * bytes),
    offset: number(table, i * bytes + 8),
    address: number(table, i * bytes + 16),
    size: number(table, i * bytes + 32),
  }));
}

function entriesOf(bytes: Buffer): readonly (readonly [tag: number, value: number])[] {
  const entries: [number, number][] = [];
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const tag = number(bytes, at);
    if (tag === 0) break;
    entries.push([tag, number(bytes, at + 8)]);
  }
  return entries;
}

function textAt(read: Read, offset: number): string {
  const bytes = read(offset, LONGEST_NAME);
  return bytes.toString('utf8', 0, Math.max(0, bytes.indexOf(0)));
}

function number(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}
