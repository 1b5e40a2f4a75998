/**
 * One record of the log: the token of the segment and a header in JSON on one line, then the bytes that the header counts,
 * then a newline.
 */
import type { Actor } from '../../../wire/actor.ts';
import type { ByteSplice } from '../shape.ts';
import type { ContentMark, KeptFile, Region } from './kept-file.ts';

/** A change without its bytes. */
export interface Header extends Actor {
  readonly id: string;
  /** In milliseconds. */
  readonly time: number;
  readonly workspace: string;
  readonly tool: string;
  /** The changes that this one undid or redid. */
  readonly undoes?: readonly string[];
  readonly redoes?: readonly string[];
  /** Changes of the same group are shown and undone as one. */
  readonly group?: string;
  /** The undos that a redo reversed. */
  readonly reverses?: readonly string[];
  /** Files that an undo skipped because they had their old content, in the order of the undo. */
  readonly already?: readonly { readonly change: string; readonly path: string }[];
  /** Why the bytes were not kept. */
  readonly notKept?: string;
  /** Why changes before this one were not recorded. */
  readonly lost?: string;
  /** Folders that were created for the change, the outermost first. */
  readonly folders?: readonly string[];
  readonly files: readonly FileHeader[];
  readonly bytes: number;
  readonly sum: number;
}

/** Withdraws the record of a change that did not happen. */
export interface VoidMark {
  readonly void: string;
  readonly bytes: 0;
}

interface FileHeader {
  readonly action: KeptFile['action'];
  readonly path: string;
  readonly movedTo?: string;
  readonly byOperator?: true;
  readonly mode: number;
  readonly before: ContentMark;
  readonly after: ContentMark;
  readonly regions: readonly RegionHeader[];
  readonly content?: number;
  readonly link?: string;
  readonly over?: number;
  readonly overMode?: number;
  readonly isFolder?: true;
  readonly modeAfter?: number;
}

interface RegionHeader {
  readonly from: number;
  readonly line?: number;
  readonly length: number;
  /** Start, end and number of new bytes of each splice. */
  readonly splices: readonly (readonly [number, number, number])[];
}

export function encodeRecord(
  token: string,
  header: Omit<Header, 'files' | 'bytes' | 'sum'>,
  files: readonly KeptFile[],
): Buffer {
  const parts: Uint8Array[] = [];
  const plain = files.map((file) => encodeFile(file, parts));
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const known: Omit<Header, 'sum'> = { ...header, files: plain, bytes };
  const open = `${token} ${JSON.stringify(known).slice(0, -1)},"sum":`;
  // One buffer for everything, since there may be many bytes; the header is written last, when their checksum is known.
  const from = Buffer.byteLength(open) + LONGEST_SUM + CLOSE.length;
  const record = Buffer.allocUnsafe(from + bytes + 1);
  let at = from;
  for (const part of parts) {
    record.set(part, at);
    at += part.length;
  }
  record[at] = NEWLINE;
  const head = `${open}${checksum(record.subarray(from, at))}${CLOSE}`;
  const start = from - Buffer.byteLength(head);
  record.write(head, start);
  return record.subarray(start);
}

const NEWLINE = 10;
const CLOSE = '}\n';
/** Digits of a 32-bit number. */
const LONGEST_SUM = 10;

export function encodeVoid(token: string, id: string): Buffer {
  return Buffer.from(`${token} ${JSON.stringify({ void: id, bytes: 0 } satisfies VoidMark)}\n\n`);
}

/** The files of a record; undefined if its bytes are damaged. */
export function decodeFiles(header: Header, raw: Uint8Array): readonly KeptFile[] | undefined {
  if (raw.length !== header.bytes || checksum(raw) !== header.sum) return undefined;
  let at = 0;
  const take = (length: number): Uint8Array => raw.subarray(at, (at += length));
  return header.files.map((file) => decodeFile(file, take));
}

function encodeFile(file: KeptFile, parts: Uint8Array[]): FileHeader {
  const regions = file.regions.map(({ from, line, old, splices }): RegionHeader => {
    parts.push(old);
    for (const { bytes } of splices) parts.push(bytes);
    const spans = splices.map(({ start, end, bytes }) => [start, end, bytes.length] as const);
    return { from, ...(line === undefined ? {} : { line }), length: old.length, splices: spans };
  });
  const { content, over, ...rest } = file;
  if (content !== undefined) parts.push(content);
  if (over !== undefined) parts.push(over);
  return {
    ...rest,
    regions,
    ...(content === undefined ? {} : { content: content.length }),
    ...(over === undefined ? {} : { over: over.length }),
  };
}

function decodeFile(file: FileHeader, take: (length: number) => Uint8Array): KeptFile {
  const regions = file.regions.map(({ from, line, length, splices }): Region => {
    const old = take(length);
    const spans = splices.map(([start, end, size]): ByteSplice => ({ start, end, bytes: take(size) }));
    return { from, ...(line === undefined ? {} : { line }), old, splices: spans };
  });
  const { content, over, ...rest } = file;
  return {
    ...rest,
    regions,
    ...(content === undefined ? {} : { content: take(content) }),
    ...(over === undefined ? {} : { over: take(over) }),
  };
}

/** Above this size crc32 is faster, although its module has to be loaded. */
const LARGE = 1 << 17;

/** Detects a torn or damaged record. It does not protect against attacks, because the folder is private. */
function checksum(bytes: Uint8Array): number {
  return bytes.length <= LARGE ? adler32(bytes) : process.getBuiltinModule('node:zlib').crc32(bytes);
}

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + 3800, bytes.length);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b * 65536 + a;
}

let lastTime = 0;

/** An id that sorts by time, and its time; both are unique in this process. */
export function newChangeId(): { readonly id: string; readonly time: number } {
  const time = Math.max(Date.now(), lastTime + 1);
  lastTime = time;
  const chance = Math.floor(Math.random() * 36 ** 4);
  return { id: time.toString(36) + chance.toString(36).padStart(4, '0'), time };
}
