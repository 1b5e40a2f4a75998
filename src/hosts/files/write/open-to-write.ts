/**
 * Opening a file to write into it. On overlayfs, as in a container, the first opening for writing copies the file up from
 * the layer below: its time of change is another one then, and so may be its number. So the stamp is compared on a
 * descriptor that only reads, and what the opening changed is compared by its bytes.
 */
import { accessSync, closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import type { Stamp } from '../shape.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { fdPath, hasFdPaths, LEAF_ONLY } from '../gate/pin.ts';
import { sameStamp, stampOf } from '../stamp.ts';

const BUFFER_BYTES = 1 << 18;
/** What a name gives that is no file any more, or another one. */
const NOT_THE_FILE = new Set(['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR']);

/** A file that was opened, with what the system said of it then; the caller closes it. */
export interface Opened {
  readonly fd: number;
  readonly stats: BigIntStats;
}

/** Opens a file for reading that must be as it was read, and that this user may write; nothing is copied up by that. */
export function openReadable(path: string, name: string, isExpected: (now: Stamp) => boolean): Opened {
  const fd = openLeaf(path, name, constants.O_RDONLY);
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile() || !isExpected(stampOf(stats))) throw fileChanged(name);
    // A write-protected file is refused although its folder would allow the replacement.
    refuseReadOnly(fd, path, name);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens a file for writing that must be as it was read; `flags` are added. */
export function openToWrite(path: string, name: string, isExpected: (now: Stamp) => boolean, flags = 0): Opened {
  const before = openReadable(path, name, isExpected);
  try {
    const fd = openLeaf(path, name, constants.O_RDWR | flags);
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile() || !isSameFile(before, { fd, stats })) throw fileChanged(name);
      return { fd, stats };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  } finally {
    closeSync(before.fd);
  }
}

function openLeaf(path: string, name: string, flags: number): number {
  try {
    return openSync(path, flags | LEAF_ONLY);
  } catch (error) {
    throw NOT_THE_FILE.has(errnoOf(error) ?? '') ? fileChanged(name) : error;
  }
}

/** `access` asks for the real user; a process that acts as another one has to try. */
function refuseReadOnly(fd: number, path: string, name: string): void {
  const actsAsItself = process.geteuid?.() === process.getuid?.() && process.getegid?.() === process.getgid?.();
  if (actsAsItself) accessSync(hasFdPaths() ? fdPath(fd) : path, constants.W_OK);
  else closeSync(openLeaf(path, name, constants.O_RDWR));
}

function isSameFile(before: Opened, now: Opened): boolean {
  if (sameStamp(stampOf(before.stats), stampOf(now.stats))) return true;
  const { size, mtimeNs, nlink } = now.stats;
  const mayBeCopy = size === before.stats.size && mtimeNs === before.stats.mtimeNs && nlink <= before.stats.nlink;
  return mayBeCopy && sameBytes(before.fd, now.fd, Number(size));
}

function sameBytes(a: number, b: number, size: number): boolean {
  const [left, right] = [Buffer.alloc(BUFFER_BYTES), Buffer.alloc(BUFFER_BYTES)];
  for (let at = 0; at < size; ) {
    const count = readSync(a, left, 0, BUFFER_BYTES, at);
    if (count === 0 || readAt(b, right, count, at) < count) return false;
    if (left.compare(right, 0, count, 0, count) !== 0) return false;
    at += count;
  }
  return true;
}

function readAt(fd: number, into: Buffer, length: number, position: number): number {
  let done = 0;
  while (done < length) {
    const count = readSync(fd, into, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
