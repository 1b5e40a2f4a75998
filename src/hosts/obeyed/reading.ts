/** Reads files that somebody else wrote: a pipe or a lease in their place must not make the gateway wait. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';

const MOST_BYTES = 1024 * 1024;
const KERNEL_BYTES = 4096;
/** Nothing is there, or nothing that this user may read, or nothing that has contents. */
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP', 'ENXIO', 'EAGAIN'];

/** The text of a file, its first mebibyte; undefined where no file can be read. */
export function readSmallFile(path: string): string | undefined {
  return readFile(path, MOST_BYTES)?.toString('utf8');
}

/** The first bytes of a file; undefined where no file can be read. */
export function readFile(path: string, most: number): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    if (UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return undefined;
    // Files of the kernel have no size.
    const bytes = Buffer.alloc(Math.min(stats.size === 0 ? KERNEL_BYTES : stats.size, most));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(fd, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

/** The names in a folder; none where there is no folder that this user may read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no such folder, or no right to read it
  }
}

/** The real path; undefined for a symlink that leads nowhere. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // it leads nowhere
  }
}
