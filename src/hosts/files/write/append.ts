import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Located, NewLine, Stamp, Written } from '../shape.ts';
import { exclusively } from '../locks/exclusively.ts';
import { notDurable, writeFault } from '../faults.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { openToWrite } from './open-to-write.ts';
import { openRegular, pinParent } from '../gate/parent.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { hardLinked } from './prepare.ts';
import { sameStamp, stampOf } from '../stamp.ts';
import { refuseProtected, type WriteOptions } from './write-options.ts';

const NEWLINE = 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Appends a line with a single write. */
export function append(file: Located, line: NewLine, options: WriteOptions): Written {
  refuseProtected([file], options);
  return exclusively([file], options, () => {
    try {
      return appendLocked(file, line, options);
    } catch (error) {
      throw writeFault(error, file.path);
    }
  });
}

/** `append` for a caller that holds the lock. `expected` is the stamp that the file must still have. */
export function appendLocked(file: Located, line: NewLine, options: WriteOptions, expected?: Stamp): Written {
  const folder = pinParent(file);
  try {
    const fd = openToAppend(folder, file, expected);
    try {
      return { path: file.path, size: appendTo(fd, file, line, options), changed: true };
    } finally {
      closeSync(fd);
    }
  } finally {
    folder.close();
  }
}

function openToAppend(folder: PinnedFolder, file: Located, expected: Stamp | undefined): number {
  if (expected === undefined) return openRegular(folder, file, constants.O_RDWR | constants.O_APPEND);
  const path = folder.at(basename(file.path));
  return openToWrite(path, file.path, (now) => sameStamp(now, expected), constants.O_APPEND).fd;
}

function appendTo(fd: number, file: Located, line: NewLine, options: WriteOptions): number {
  const stats = fstatSync(fd, { bigint: true });
  const stamp = stampOf(stats);
  if (options.hardLinks !== 'in-place' && stats.nlink > 1n) throw hardLinked(file, stats.nlink);
  const size = Number(stats.size);
  const bytes = lineAfter(tailOf(fd, size), line);
  const record = options.record?.();
  record?.add({
    action: 'modify',
    source: new DescriptorFile(file, fd, stamp),
    splices: [{ start: size, end: size, bytes }],
    mode: Number(stats.mode) & 0o7777,
  });
  record?.publish();
  try {
    writeWhole(fd, size, bytes, file.path);
  } catch (error) {
    record?.withdraw();
    throw error;
  }
  if (options.durable ?? true) flush(fd, file.path);
  return size + bytes.length;
}

function flush(fd: number, path: string): void {
  try {
    fsyncSync(fd);
  } catch (error) {
    throw notDurable(error, path);
  }
}

function tailOf(fd: number, size: number): Uint8Array {
  const tail = new Uint8Array(Math.min(size, BYTE_ORDER_MARK.length + 1));
  return tail.subarray(0, readSync(fd, tail, 0, tail.length, size - tail.length));
}

/** The bytes that append a line after `tail`, the last bytes of a file. A final newline stays if there was one. */
export function lineAfter(tail: Uint8Array, { line, eol }: NewLine): Uint8Array {
  const ending = new TextEncoder().encode(eol);
  const onlyMark = tail.length === BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.every((byte, i) => tail[i] === byte);
  const atLineStart = tail.length === 0 || onlyMark || tail.at(-1) === NEWLINE;
  const [first, second] = atLineStart ? [line, ending] : [ending, line];
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** Writes once, so that no reader sees half a line. If the disk is full, truncates what was written. */
function writeWhole(fd: number, size: number, bytes: Uint8Array, path: string): void {
  const count = writeSync(fd, bytes, 0, bytes.length);
  if (count === bytes.length) return;
  const hasOtherWrite = fstatSync(fd).size !== size + count;
  if (!hasOtherWrite) ftruncateSync(fd, size);
  throw new Fault('FS_WRITE_FAILED', `only ${count} of ${bytes.length} bytes were appended to ${path}`, {
    hint: hasOtherWrite
      ? 'another program wrote at the same time, so the partial line was not removed; check the end of the file'
      : 'the file has its old content; free some space on that disk and run the command again',
    details: { path, takenBack: !hasOtherWrite },
  });
}
