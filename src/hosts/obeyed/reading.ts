/** Reads files that somebody else wrote: a pipe or a lease in their place must not make the gateway wait. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
  type BigIntStats,
  type Dir,
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
export function readWholeFile(
  path: string,
  most: number,
  onOpened?: (stats: BigIntStats) => void,
): Buffer | 'missing' | 'unreadable' | 'too-long' {
  try {
    const bytes = readFile(path, most + 1, onOpened);
    if (bytes === undefined) return entryAt(path) === 'missing' ? 'missing' : 'unreadable';
    return bytes.length > most ? 'too-long' : bytes;
  } catch {
    return 'unreadable'; // a device that fails, a name that is too long
  }
}

/** How many bytes of files, and names of folders, may be read together. */
export interface ReadBounds {
  readonly bytes: number;
  readonly names: number;
}

/** Reads whole files and folders within bounds: whoever chooses how many there are cannot make this take long. */
export class BoundedReader {
  #bytes: number;
  #names: number;
  readonly #whole: BoundedReader | undefined;

  /** What is read counts for `whole` as well, where this is the reader of a part. */
  constructor({ bytes, names }: ReadBounds, whole?: BoundedReader) {
    this.#bytes = whole === undefined ? bytes : Math.min(bytes, whole.#bytes);
    this.#names = whole === undefined ? names : Math.min(names, whole.#names);
    this.#whole = whole;
  }

  /** All bytes of a file, which is also too long where it has more than is left. */
  read(path: string, most = this.#bytes, onOpened?: (stats: BigIntStats) => void): ReturnType<typeof readWholeFile> {
    const wanted = Math.min(most, this.#bytes);
    const bytes = readWholeFile(path, wanted, onOpened);
    if (bytes === 'too-long') this.#count(wanted, 0);
    else if (Buffer.isBuffer(bytes)) this.#count(bytes.length, 0);
    return bytes;
  }

  /** Counts bytes that a cache returned instead of reading them; false where fewer are left. */
  takeBytes(bytes: number): boolean {
    if (bytes > this.#bytes) return false;
    this.#count(bytes, 0);
    return true;
  }

  /** The names in a folder, which are also too many where there are more than are left. */
  list(folder: string): ReturnType<typeof listFolder> {
    const names = listFolder(folder, this.#names);
    if (names === 'too-many') this.#count(0, this.#names);
    else if (typeof names !== 'string') this.#count(0, names.length);
    return names;
  }

  #count(bytes: number, names: number): void {
    this.#bytes -= bytes;
    this.#names -= names;
    if (this.#whole !== undefined) this.#whole.#count(bytes, names);
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

/** The first bytes of a file; undefined where no file can be read. `onOpened` receives what the open file is before it is read. */
export function readFile(path: string, most: number, onOpened?: (stats: BigIntStats) => void): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    if (UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile()) return undefined;
    onOpened?.(stats);
    // Files of the kernel have no size.
    const bytes = Buffer.alloc(Math.min(stats.size === 0n ? KERNEL_BYTES : Number(stats.size), most));
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

/** The names in a folder; one that cannot be listed, or has more than `most`, may still have files that programs open by name. */
export function listFolder(
  folder: string,
  most = Number.POSITIVE_INFINITY,
): string[] | 'missing' | 'unreadable' | 'too-many' {
  let open: Dir | undefined;
  try {
    if (most === Number.POSITIVE_INFINITY) return readdirSync(folder);
    open = opendirSync(folder);
    const names: string[] = [];
    for (let entry = open.readSync(); entry !== null; entry = open.readSync())
      if (names.push(entry.name) > most) return 'too-many';
    return names;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unreadable';
  } finally {
    open?.closeSync();
  }
}

/** Why the names in a folder are not known. */
export function whyUnlisted(folder: string, why: 'unreadable' | 'too-many'): string {
  return why === 'unreadable' ? `${folder} cannot be read` : `${folder} and the folders before it have too many names`;
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
