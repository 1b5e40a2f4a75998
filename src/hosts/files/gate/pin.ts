/**
 * Pinned folders. On Linux a pinned folder is an open descriptor, and its entries are reached through `/proc/PID/fd/N/name`:
 * no process that renames folders or creates links can redirect such a path. Without /proc (macOS, Windows) plain paths
 * are used, with an lstat of every folder first. That is weaker: a folder replaced by a link between lstat and use is
 * followed.
 */
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  type BigIntStats,
  type Stats,
} from 'node:fs';
import { sep } from 'node:path';

// Node has no constant for O_PATH; the value is the same on all Linux architectures that Node supports.
const O_PATH = 0x200000;
/** Windows has neither. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_BLOCK = constants.O_NONBLOCK ?? 0;
/** Opens a folder as a reference only; fails for a link or a file. */
const FOLDER_ONLY = O_PATH | NO_FOLLOW | (constants.O_DIRECTORY ?? 0);
/** Does not block on a FIFO or device that replaced the file, and does not follow a link. */
export const LEAF_ONLY = NO_FOLLOW | NO_BLOCK;

export interface PinnedFolder {
  /** Undefined if it is only a path. */
  readonly fd?: number;
  /** When it was walked to, in `performance.now()` time, if it is cached. */
  readonly walkedAt?: number;
  readonly at: (name: string) => string;
  close(): void;
}

let procIsMounted: boolean | undefined;

export function hasFdPaths(): boolean {
  return process.platform === 'linux' && (procIsMounted ??= existsSync('/proc/self/fd'));
}

let ownFds: string | undefined;

/** The /proc path of a descriptor of this process. */
export function fdPath(fd: number): string {
  // The number and not `self`, which the kernel would resolve each time.
  ownFds ??= `/proc/${readlinkSync('/proc/self')}/fd/`;
  return ownFds + fd;
}

/** The folder of a descriptor; closing it closes the descriptor. */
export function folderOf(fd: number): PinnedFolder {
  const start = `${fdPath(fd)}/`;
  return { fd, at: (name) => start + name, close: () => closeSync(fd) };
}

export function plainFolder(path: string): PinnedFolder {
  const start = path.endsWith(sep) ? path : path + sep;
  return { at: (name) => start + name, close: () => undefined };
}

/** Opens a folder with O_PATH and follows links. */
export function openFolderName(path: string): number {
  return openSync(path, O_PATH | constants.O_DIRECTORY);
}

/** Opens a folder with O_PATH; fails for a link. */
export function openFolderItself(path: string): number {
  return openSync(path, FOLDER_ONLY);
}

/** Pins a folder inside a pinned folder; throws ENOTDIR or ELOOP for a link. */
export function pinEntry(parent: PinnedFolder, name: string): PinnedFolder {
  const path = parent.at(name);
  if (hasFdPaths()) return folderOf(openFolderItself(path));
  if (lstatSync(path).isDirectory()) return plainFolder(path);
  throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: 'ENOTDIR' });
}

/** Describes what is not a regular file, for messages. */
export function describe(stats: Stats | BigIntStats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symlink';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
