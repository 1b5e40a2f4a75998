/** Reads the records of one segment: headers without their bytes. Skips records that a crash has torn. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { errnoOf } from '../faults.ts';
import { readFully } from '../read-fully.ts';
import { type Segment, tokenOf } from './log.ts';
import type { Header, VoidMark } from './record.ts';

const WINDOW = 1 << 16;
const NEWLINE = 10;

/** A header and the offset of its bytes. */
export interface Entry {
  readonly header: Header | VoidMark;
  readonly segment: Segment;
  readonly offset: number;
}

/** The complete records of a segment, oldest first; none if it was removed meanwhile. */
export function readEntries(segment: Segment): readonly Entry[] {
  const entries = withSegment(segment, (fd) => {
    const token = tokenOf(fd);
    return token === undefined ? [] : entriesOf(new Window(fd, fstatSync(fd).size), segment, token);
  });
  return entries ?? [];
}

/** The bytes of a record; fewer than in the header if the segment was removed. */
export function readBytes({ header, segment, offset }: Entry): Uint8Array {
  const bytes = withSegment(segment, (fd) => new Window(fd, fstatSync(fd).size).slice(offset, offset + header.bytes));
  return bytes ?? new Uint8Array(0);
}

function withSegment<T>({ path }: Segment, read: (fd: number) => T): T | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

function entriesOf(window: Window, segment: Segment, token: string): readonly Entry[] {
  const start = Buffer.from(`${token} {`);
  const entries: Entry[] = [];
  for (let at = token.length + 1; at < window.size; ) {
    const found = recordAt(window, segment, start, at);
    if (found !== undefined) {
      entries.push(found);
      at = found.offset + found.header.bytes + 1;
      continue;
    }
    const next = window.find(start, at + 1);
    if (next < 0) break;
    at = next;
  }
  return entries;
}

function recordAt(window: Window, segment: Segment, start: Buffer, at: number): Entry | undefined {
  if (!start.equals(window.slice(at, at + start.length))) return undefined;
  const end = window.find(Buffer.of(NEWLINE), at);
  if (end < 0) return undefined;
  const header = parseHeader(window.slice(at + start.length - 1, end).toString());
  if (header === undefined) return undefined;
  const behind = end + 1 + header.bytes;
  return window.slice(behind, behind + 1)[0] === NEWLINE ? { header, segment, offset: end + 1 } : undefined;
}

function parseHeader(text: string): Header | VoidMark | undefined {
  try {
    const header = JSON.parse(text) as Partial<Header> & Partial<VoidMark>;
    if (!Number.isSafeInteger(header.bytes)) return undefined;
    if (typeof header.void === 'string') return header as VoidMark;
    return typeof header.id === 'string' && Array.isArray(header.files) ? (header as Header) : undefined;
  } catch {
    return undefined; // torn by a crash
  }
}

/** Reads a file through a window, so that the bytes between the headers are not read. */
class Window {
  readonly size: number;
  private readonly fd: number;
  private start = 0;
  private bytes = Buffer.alloc(0);

  constructor(fd: number, size: number) {
    this.fd = fd;
    this.size = size;
  }

  slice(from: number, to: number): Buffer {
    if (from < this.start || to > this.start + this.bytes.length) this.load(from, to);
    return this.bytes.subarray(from - this.start, to - this.start);
  }

  /** The offset of these bytes at or after `from`; -1 if there is none. */
  find(wanted: Buffer, from: number): number {
    for (let at = from; at + wanted.length <= this.size; ) {
      const end = this.start + this.bytes.length;
      if (at < this.start || at + wanted.length > end) this.load(at, at + wanted.length);
      const found = this.bytes.indexOf(wanted, at - this.start);
      if (found >= 0) return this.start + found;
      at = Math.max(at + 1, this.start + this.bytes.length - wanted.length + 1);
    }
    return -1;
  }

  private load(from: number, to: number): void {
    const bytes = Buffer.alloc(Math.max(0, Math.min(Math.max(to, from + WINDOW), this.size) - from));
    const filled = readFully(this.fd, bytes, from);
    this.start = from;
    this.bytes = bytes.subarray(0, filled);
  }
}
