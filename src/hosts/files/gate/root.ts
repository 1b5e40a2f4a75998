import {
  closeSync,
  fstatSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  statSync,
  type BigIntStats,
  type Stats,
} from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import type { Located } from '../shape.ts';
import { errnoOf, readFault } from '../faults.ts';
import { HeldFiles } from '../cache/cached-files.ts';
import { HeldFolders } from '../cache/descriptor-cache.ts';
import {
  fdPath,
  folderOf,
  hasFdPaths,
  openFolderItself,
  openFolderName,
  plainFolder,
  type PinnedFolder,
} from './pin.ts';
import { sleep } from '../locks/sleep.ts';

/** Closes the descriptor of a root that nobody can reach any more; runs between tasks, never inside one. */
const forgotten = new FinalizationRegistry<number>((fd) => closeSync(fd));

/**
 * The folder that no walk leaves. It is held by a descriptor from the moment it is made, so that whatever takes its
 * name later, a link or another folder, is not it. Without /proc the real path has to do.
 */
export class Root {
  /** The real path. */
  readonly path: string;
  /** The path as the operator spelled it, absolute. */
  readonly given: string;
  readonly dev: bigint;
  /** Its device and inode. */
  readonly id: string;
  readonly folder: PinnedFolder;
  /** Folders below it that were walked to a moment ago. */
  readonly held = new HeldFolders();
  /** Files below it that were opened a moment ago. */
  readonly files: HeldFiles;

  readonly #close: () => void;

  private constructor(
    path: string,
    given: string,
    { dev, ino }: BigIntStats,
    folder: PinnedFolder,
    close: () => void = () => undefined,
  ) {
    this.#close = close;
    this.path = path;
    this.given = given;
    this.dev = dev;
    this.id = `${dev}:${ino}`;
    this.folder = folder;
    this.files = new HeldFiles(dev);
  }

  /** Gives the descriptor up; nothing can be opened from here any more. */
  close(): void {
    this.#close();
  }

  /** Pins a folder by its path; links on the way to it are the operator's own. */
  static pin(given: string): Root {
    if (!hasFdPaths()) {
      const path = realFolder(given);
      return new Root(path, given, statSync(path, { bigint: true }), plainFolder(path));
    }
    const fd = openRoot(given);
    try {
      const path = readlinkSync(fdPath(fd));
      const { folder, close } = closable(fd, given);
      const root = new Root(path, given, fstatSync(fd, { bigint: true }), folder, () => {
        forgotten.unregister(root);
        close();
      });
      forgotten.register(root, fd, root);
      return root;
    } catch (error) {
      closeSync(fd);
      throw readFault(error, given);
    }
  }
}

/** A folder whose number may mean another one after its end: then no path is given out any more. */
function closable(fd: number, given: string): { readonly folder: PinnedFolder; readonly close: () => void } {
  const { at } = folderOf(fd);
  let isOpen = true;
  const checked = (name: string): string => {
    if (isOpen) return at(name);
    throw new Fault('FS_CLOSED', `the workspace ${given} was closed`, { hint: 'open it again' });
  };
  return {
    folder: { fd, at: checked, close: () => undefined },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** A path that passed the gate, with the root that it was walked from. */
class LocatedFile {
  readonly path: string;
  readonly root: string | undefined;
  readonly #root: Root | undefined;
  readonly #followed: readonly string[];

  constructor(path: string, root: Root | string | undefined, followed: readonly string[]) {
    this.path = path;
    this.root = typeof root === 'object' ? root.path : root;
    this.#root = typeof root === 'object' ? root : undefined;
    this.#followed = followed;
  }

  static followedTo(file: Located): readonly string[] {
    return file instanceof LocatedFile ? file.#followed : [];
  }

  static rootOf(file: Located): Root | undefined {
    return file instanceof LocatedFile ? file.#root : undefined;
  }
}

/**
 * Marks a path as one that passed the gate; a root given as text is opened again by its path. `followed` are the paths, with a
 * link in each, by which the walk came here.
 */
export function asLocated(path: string, root: Root | string | undefined, followed: readonly string[] = []): Located {
  return new LocatedFile(path, root, followed) as unknown as Located;
}

/** The paths with links in them by which a located file was asked for; none for one whose real path was named. */
export function followedTo(file: Located): readonly string[] {
  return LocatedFile.followedTo(file);
}

/** The pinned root of a located file; undefined for one that the operator named or that a journal brought back. */
export function rootOf(file: Located): Root | undefined {
  return LocatedFile.rootOf(file);
}

function openRoot(given: string): number {
  try {
    return openSteady(given);
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (errnoOf(error) === 'ENOTDIR' && statSync(given, { throwIfNoEntry: false }) !== undefined) realFolder(given);
    throw noFolder(given, error);
  }
}

/** A link that was renamed so short a time ago may be one of two names that somebody exchanges. */
const RECENT_LINK_MS = 2000;
/** How long the name of a link that was just made is watched for a folder. */
const WATCH_MS = 250;
/** Who swaps by renaming leaves moments without any entry; a name that is really free is known after this. */
const GAP_MS = 5;
const PAUSE_MS = 1;

/**
 * A workspace may be named by a link. But a name that is a link at one look and a folder at the next is being swapped
 * at this very moment, and then the folder is what the operator meant. A link that has stood for a while costs one
 * look. One that was just made is followed when no folder was seen in its place, and one that was just renamed only
 * when it has stood for a while: whoever swaps may have to wait for a busy disk.
 */
function openSteady(given: string): number {
  const begin = Date.now();
  let watchMs = 0;
  let firstRename: number | undefined;
  for (; ; sleep(PAUSE_MS)) {
    const seen = lstatSync(given, { throwIfNoEntry: false });
    if (seen?.isDirectory() === true) {
      const fd = tryFolder(given);
      if (fd !== undefined) return fd;
    }
    const renamed = recentRename(seen);
    firstRename ??= renamed;
    watchMs = Math.max(watchMs, watchTime(seen));
    const elapsed = Date.now() - begin;
    if (elapsed < watchMs || (renamed !== undefined && elapsed < RECENT_LINK_MS)) continue;
    // A name that was free at the last look is not opened: by now it may be a link.
    if (seen === undefined) throw Object.assign(new Error(`no such folder: ${given}`), { code: 'ENOENT' });
    if (renamed !== undefined && renamed !== firstRename) throw swapped(given);
    return openFolderName(given);
  }
}

/** How long a name is watched that shows this at one look. */
function watchTime(seen: Stats | undefined): number {
  if (seen === undefined) return GAP_MS;
  return seen.isDirectory() || isRecentLink(seen) ? WATCH_MS : 0;
}

/** When a link was renamed, if that is a short time ago. Making it sets both times at once; only a later change moves them apart. */
function recentRename(seen: Stats | undefined): number | undefined {
  return seen !== undefined && isRecentLink(seen) && seen.ctimeMs !== seen.birthtimeMs ? seen.ctimeMs : undefined;
}

function isRecentLink(seen: Stats): boolean {
  return seen.isSymbolicLink() && Math.abs(Date.now() - seen.ctimeMs) < RECENT_LINK_MS;
}

function swapped(given: string): Fault {
  return new Fault('FS_CHANGED', `${given} is a link that is being renamed again and again`, {
    hint: 'find the program that renames it, or name the folder itself',
    details: { path: given },
  });
}

function tryFolder(given: string): number | undefined {
  try {
    return openFolderItself(given);
  } catch {
    return undefined; // a link, or nothing to open: whoever opens it for good says which
  }
}

function realFolder(given: string): string {
  let real: string;
  try {
    real = realpathSync(given);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw noFolder(given, error);
  }
  throw new Fault('FS_NOT_FOUND', `not a folder: ${real}`, {
    hint: 'give --workspace, or --cwd of path, a folder; path takes a file with --file',
  });
}

function noFolder(given: string, error: unknown): unknown {
  if (errnoOf(error) !== 'ENOENT') return readFault(error, given);
  return new Fault('FS_NOT_FOUND', `no such folder: ${given}`, {
    hint: 'give --workspace, or --cwd of path, a folder that exists',
    cause: error,
  });
}
