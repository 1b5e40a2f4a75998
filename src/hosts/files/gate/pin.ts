/**
 * Pinned folders: on Linux a folder is held by a descriptor, and its entries are reached through
 * `/proc/PID/fd/N/name`. Nobody who renames folders or plants links meanwhile can lead such a path elsewhere.
 * Where there is no /proc (macOS, Windows), plain paths are used and every folder is looked at before it is used. That
 * is weaker: a peer that swaps a folder for a link between the look and the use is followed.
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

// Node has no name for O_PATH; the value is the same on all architectures that Node supports on Linux.
const O_PATH = 0x200000;
/** Windows has neither of the two. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_BLOCK = constants.O_NONBLOCK ?? 0;
/** Names a folder without reading it; a link or a file in its place is an error. */
const FOLDER_ONLY = O_PATH | NO_FOLLOW | (constants.O_DIRECTORY ?? 0);
/** A FIFO or a device that took the place of a file does not stop us, and a link is not followed. */
export const LEAF_ONLY = NO_FOLLOW | NO_BLOCK;

export interface PinnedFolder {
  /** What it is held by, where that is more than its path. */
  readonly fd?: number;
  /** When it was walked to, in `performance.now()` time; for one that may be used again. */
  readonly walkedAt?: number;
  /** The path that reaches an entry of this folder. */
  readonly at: (name: string) => string;
  close(): void;
}

let procIsMounted: boolean | undefined;

export function hasFdPaths(): boolean {
  return process.platform === 'linux' && (procIsMounted ??= existsSync('/proc/self/fd'));
}

let ownFds: string | undefined;

/** The path of what a descriptor of this process holds. */
export function fdPath(fd: number): string {
  // By number, as /proc counts: `self` would be looked up each time.
  ownFds ??= `/proc/${readlinkSync('/proc/self')}/fd/`;
  return ownFds + fd;
}

/** The folder that a descriptor holds; closing it closes the descriptor. */
export function folderOf(fd: number): PinnedFolder {
  const start = `${fdPath(fd)}/`;
  return { fd, at: (name) => start + name, close: () => closeSync(fd) };
}

/** A folder held by nothing but its path. */
export function plainFolder(path: string): PinnedFolder {
  const start = path.endsWith(sep) ? path : path + sep;
  return { at: (name) => start + name, close: () => undefined };
}

/** Opens a folder, links followed, only to go on from it. */
export function openFolderName(path: string): number {
  return openSync(path, O_PATH | constants.O_DIRECTORY);
}

/** Opens a folder that is no link, only to go on from it. */
export function openFolderItself(path: string): number {
  return openSync(path, FOLDER_ONLY);
}

/** Pins the folder that an entry of a pinned folder is; a link there gives ENOTDIR or ELOOP. */
export function pinEntry(parent: PinnedFolder, name: string): PinnedFolder {
  const path = parent.at(name);
  if (hasFdPaths()) return folderOf(openFolderItself(path));
  if (lstatSync(path).isDirectory()) return plainFolder(path);
  throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: 'ENOTDIR' });
}

/** What a thing that is not a regular file is, for a message. */
export function describe(stats: Stats | BigIntStats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
