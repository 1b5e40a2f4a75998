/** Reads untrusted files: a FIFO or a lease in their place must not block the gateway. */
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
/** The limit of the kernel. */
const MOST_LINKS = 40;
/** It does not exist, this user may not read it, or it is not a regular file. */
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP', 'ENXIO', 'EAGAIN'];

/** The first mebibyte of a file as text; undefined where it cannot be read. */
export function readSmallFile(path: string): string | undefined {
  return readFile(path, MOST_BYTES)?.toString('utf8');
}

/** All bytes of a file, or `too-long` for more than `most`: a part of a file must not count as the whole. */
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
    return 'unreadable'; // an I/O error, or a name that is too long
  }
}

export interface ReadBounds {
  readonly bytes: number;
  readonly names: number;
}

/** Reads whole files and folders within bounds, since their number and size are untrusted. */
export class BoundedReader {
  #bytes: number;
  #names: number;
  readonly #whole: BoundedReader | undefined;

  /** Reads also count against the bounds of `whole`. */
  constructor({ bytes, names }: ReadBounds, whole?: BoundedReader) {
    this.#bytes = whole === undefined ? bytes : Math.min(bytes, whole.#bytes);
    this.#names = whole === undefined ? names : Math.min(names, whole.#names);
    this.#whole = whole;
  }

  /** All bytes of a file, or `too-long` where fewer bytes are left. */
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

  /** The names in a folder, or `too-many` where fewer names are left. */
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

/** Follows symlinks; a dangling symlink is `unreadable`. */
export function entryAt(path: string): 'missing' | 'file' | 'folder' | 'unreadable' {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return 'missing';
    const stats = statSync(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'unreadable';
  } catch (error) {
    // A parent is a file, so the path cannot exist.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'missing' : 'unreadable';
  }
}

/** The first bytes of a file; undefined where it cannot be read. `onOpened` receives what the open file is before it is read. */
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
    // Files in /proc have size 0.
    const bytes = Buffer.alloc(Math.min(stats.size === 0n ? KERNEL_BYTES : Number(stats.size), most));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(fd, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

/** Empty where this user cannot read the folder. */
export function namesIn(folder: string): string[] {
  const names = listFolder(folder);
  return typeof names === 'string' ? [] : names;
}

/** A folder that cannot be listed, or has more than `most` names, may still contain files that programs open by name. */
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

export function whyUnlisted(folder: string, why: 'unreadable' | 'too-many'): string {
  return why === 'unreadable' ? `${folder} cannot be read` : `${folder} and the folders before it have too many names`;
}

/** Undefined for a path that does not exist and for a dangling symlink. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path); // native, because `..` after a symlink must mean what it means to the kernel
  } catch {
    return undefined;
  }
}

/** The real path of a path that need not exist; a dangling symlink is replaced by the path that it names. */
export function realPlaceOf(path: string, links = MOST_LINKS): string {
  const real = realOf(path);
  if (real !== undefined || path === dirname(path)) return real ?? path;
  const text = links > 0 ? linkText(path) : undefined;
  if (text !== undefined) return realPlaceOf(isAbsolute(text) ? text : `${dirname(path)}/${text}`, links - 1);
  return join(realPlaceOf(dirname(path), links), basename(path));
}

/** The target text of a symlink; undefined for anything else. */
export function linkText(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // missing, or not a symlink
  }
}
