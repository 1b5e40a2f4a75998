/**
 * Opens a file to write into it. On overlayfs, as in a container, the first open for writing copies the file up from the
 * lower layer, which changes its ctime and possibly its inode. So the stamp is compared on a read-only descriptor, and
 * if copy-up changed it, the bytes of both are compared.
 */
import { accessSync, closeSync, constants, fstatSync, openSync, type BigIntStats } from 'node:fs';
import type { Stamp } from '../shape.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { fdPath, hasFdPaths, LEAF_ONLY } from '../gate/pin.ts';
import { readFully } from '../read-fully.ts';
import { sameStamp, stampOf } from '../stamp.ts';

const BUFFER_BYTES = 1 << 18;
/** Errors of `open` when the name no longer refers to a regular file. */
const NOT_A_FILE = new Set(['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR']);

/** The caller closes the descriptor. */
export interface Opened {
  readonly fd: number;
  readonly stats: BigIntStats;
}

/** Opens a file read-only, which causes no copy-up. It must be unchanged and writable for this user. */
export function openReadable(path: string, name: string, isExpected: (now: Stamp) => boolean): Opened {
  const fd = openLeaf(path, name, constants.O_RDONLY);
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile() || !isExpected(stampOf(stats))) throw fileChanged(name);
    // A read-only file is refused although its folder would allow the replacement.
    refuseReadOnly(fd, path, name);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens a file for writing that must be unchanged since it was read; `flags` are added. */
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
    throw NOT_A_FILE.has(errnoOf(error) ?? '') ? fileChanged(name) : error;
  }
}

/** `access` checks the real user id; a setuid process has to try with its effective one. */
function refuseReadOnly(fd: number, path: string, name: string): void {
  const isRealUser = process.geteuid?.() === process.getuid?.() && process.getegid?.() === process.getgid?.();
  if (isRealUser) accessSync(hasFdPaths() ? fdPath(fd) : path, constants.W_OK);
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
    const count = readFully(a, left, at);
    if (count === 0 || readFully(b, right.subarray(0, count), at) < count) return false;
    if (left.compare(right, 0, count, 0, count) !== 0) return false;
    at += count;
  }
  return true;
}
