/**
 * Pinned folders: on Linux a folder is held by a descriptor, and its entries are reached through
 * `/proc/self/fd/N/name`. Nobody who renames folders or plants links meanwhile can lead such a path elsewhere.
 * Where there is no /proc, plain paths are used and every folder is checked: best effort.
 */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Located } from '../host.ts';
import { notFound, notRegular, readFault } from './faults.ts';

// Node has no name for O_PATH; the value is the same on all architectures that Node supports on Linux.
const O_PATH = 0x200000;
/** Windows has neither of the two. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_BLOCK = constants.O_NONBLOCK ?? 0;
/** Names a thing without touching it: opening a device or a FIFO for reading could have effects. */
const NAME_ONLY = O_PATH | NO_FOLLOW;

export interface PinnedFolder {
  /** The path that reaches an entry of this folder. */
  at(name: string): string;
  close(): void;
}

let fdPaths: boolean | undefined;

export function hasFdPaths(): boolean {
  fdPaths ??= process.platform === 'linux' && existsSync('/proc/self/fd');
  return fdPaths;
}

export function entryOf(fd: number, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

/** Opens what stands at `path`, a link itself and not its target, only to look at it or to go on from it. */
export function openName(path: string): { readonly fd: number; readonly stats: Stats } {
  const fd = openSync(path, NAME_ONLY);
  try {
    return { fd, stats: fstatSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens a folder, links followed, only to go on from it. */
export function openFolderName(path: string): number {
  return openSync(path, O_PATH | constants.O_DIRECTORY);
}

/** Pins the folder of a located file; no link is followed on the way. */
export function pinParent(file: Located): PinnedFolder {
  const folder = dirname(file.path);
  const start = file.root ?? folder;
  const steps = relative(start, folder).split(sep).filter(Boolean);
  return hasFdPaths() ? pinByDescriptor(file, start, steps) : pinByPath(file, start, steps);
}

function pinByDescriptor(file: Located, start: string, steps: readonly string[]): PinnedFolder {
  let fd = openFolder(file, start);
  for (const step of steps) {
    const parent = fd;
    try {
      fd = openFolder(file, entryOf(parent, step));
    } finally {
      closeSync(parent);
    }
  }
  return { at: (name) => entryOf(fd, name), close: () => closeSync(fd) };
}

function openFolder(file: Located, path: string): number {
  let opened: ReturnType<typeof openName>;
  try {
    opened = openName(path);
  } catch (error) {
    throw readFault(error, file.path);
  }
  if (opened.stats.isDirectory()) return opened.fd;
  closeSync(opened.fd);
  throw opened.stats.isSymbolicLink() ? swapped(file) : notFound(file.path);
}

function pinByPath(file: Located, start: string, steps: readonly string[]): PinnedFolder {
  let path = start;
  for (const step of steps) {
    path += sep + step;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) throw swapped(file);
    if (!stats?.isDirectory()) throw notFound(file.path);
  }
  return { at: (name) => path + sep + name, close: () => undefined };
}

function swapped(file: Located): Fault {
  return new Fault('FS_CHANGED', `${file.path} became a link, or one of its folders did, while it was being used`, {
    hint: 'run the command again',
    details: { path: file.path },
  });
}

/** Opens a regular file in its pinned folder; anything else is refused before it is opened for real. */
export function openRegular(folder: PinnedFolder, file: Located, flags: number): number {
  const path = folder.at(basename(file.path));
  if (!hasFdPaths()) {
    refuseIrregular(lstatSync(path), file);
    return openSync(path, flags | NO_FOLLOW | NO_BLOCK);
  }
  const { fd, stats } = openName(path);
  try {
    refuseIrregular(stats, file);
    return openByDescriptor(fd, flags);
  } finally {
    closeSync(fd);
  }
}

/** Opens for real what a descriptor names; it is known to be a regular file. */
export function openByDescriptor(fd: number, flags: number): number {
  return openSync(`/proc/self/fd/${fd}`, flags | NO_BLOCK);
}

function refuseIrregular(stats: Stats, file: Located): void {
  if (stats.isSymbolicLink()) throw swapped(file);
  if (!stats.isFile()) throw notRegular(file.path, describe(stats));
}

/** What a thing that is not a regular file is, for a message. */
export function describe(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
