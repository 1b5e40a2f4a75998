/** Reads files that somebody else wrote: a pipe or a lease in their place must not make the gateway wait. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

const MOST_BYTES = 1024 * 1024;
const KERNEL_BYTES = 4096;
/** The kernel follows no more. */
const MOST_LINKS = 40;
/** Nothing is there, or nothing that this user may read, or nothing that has contents. */
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP', 'ENXIO', 'EAGAIN'];

/** The text of a file, its first mebibyte; undefined where no file can be read. */
export function readSmallFile(path: string): string | undefined {
  return readFile(path, MOST_BYTES)?.toString('utf8');
}

/** All bytes of a file. One with more than `most` is too long; of no file the beginning is taken for the whole. */
export function readWholeFile(path: string, most: number): Buffer | 'missing' | 'unreadable' | 'too-long' {
  try {
    const bytes = readFile(path, most + 1);
    if (bytes === undefined) return entryAt(path) === 'missing' ? 'missing' : 'unreadable';
    return bytes.length > most ? 'too-long' : bytes;
  } catch {
    return 'unreadable'; // a device that fails, a name that is too long
  }
}

/** Reads whole files that have at most so many bytes together: whoever chooses how many there are cannot make this take long. */
export class BoundedReader {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** All bytes of a file, which is also too long where it has more than is left. */
  read(path: string, most = this.#left): ReturnType<typeof readWholeFile> {
    const bytes = readWholeFile(path, Math.min(most, this.#left));
    if (Buffer.isBuffer(bytes)) this.#left -= bytes.length;
    return bytes;
  }
}

/** What a path names, links followed; a link that leads nowhere and what cannot be looked at are `unreadable`. */
export function entryAt(path: string): 'missing' | 'file' | 'folder' | 'unreadable' {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return 'missing';
    const stats = statSync(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'unreadable';
  } catch (error) {
    // A file on the way: nothing can be below it.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'missing' : 'unreadable';
  }
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
  const names = listFolder(folder);
  return typeof names === 'string' ? [] : names;
}

/** The names in a folder; a folder that cannot be listed may still have files that programs open by name. */
export function listFolder(folder: string): string[] | 'missing' | 'unreadable' {
  try {
    return readdirSync(folder);
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unreadable';
  }
}

/** The real path; undefined for a symlink that leads nowhere. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path); // `..` behind a link means what the kernel says
  } catch {
    return undefined; // it leads nowhere
  }
}

/** The real path of what need not exist yet; a link that leads nowhere stands for the place that it names. */
export function realPlaceOf(path: string, links = MOST_LINKS): string {
  const real = realOf(path);
  if (real !== undefined || path === dirname(path)) return real ?? path;
  const text = links > 0 ? linkText(path) : undefined;
  if (text !== undefined) return realPlaceOf(isAbsolute(text) ? text : `${dirname(path)}/${text}`, links - 1);
  return join(realPlaceOf(dirname(path), links), basename(path));
}

/** The text of a link; undefined for everything else. */
export function linkText(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // nothing is there, or something else
  }
}
