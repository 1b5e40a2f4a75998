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
import { CachedFiles } from '../cache/cached-files.ts';
import { CachedFolders } from '../cache/descriptor-cache.ts';
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

/** Closes the descriptor of a root that was garbage collected; runs between tasks, never during one. */
const collected = new FinalizationRegistry<number>((fd) => closeSync(fd));

/**
 * The folder that no walk leaves. Its descriptor stays open from the start, so that a link or folder that gets its name later
 * is not used. Without /proc only the real path identifies it.
 */
export class Root {
  readonly path: string;
  /** The absolute path as the operator spelled it. */
  readonly given: string;
  readonly dev: bigint;
  /** `device:inode`. */
  readonly id: string;
  readonly folder: PinnedFolder;
  readonly folders = new CachedFolders();
  readonly files: CachedFiles;

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
    this.files = new CachedFiles(dev);
  }

  /** Closes the descriptor; later uses throw FS_CLOSED. */
  close(): void {
    this.#close();
  }

  /** Pins a folder by its path and follows links, because the operator chose it. */
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
        collected.unregister(root);
        close();
      });
      collected.register(root, fd, root);
      return root;
    } catch (error) {
      closeSync(fd);
      throw readFault(error, given);
    }
  }
}

/** A folder that returns no paths after its close, when its descriptor number may refer to another file. */
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

/** A path that passed the gate, with the root of its walk. */
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
 * Marks a path as one that passed the gate. A root given as a string is opened again by its path. `followed` are the paths with
 * links that the walk followed.
 */
export function asLocated(path: string, root: Root | string | undefined, followed: readonly string[] = []): Located {
  return new LocatedFile(path, root, followed) as unknown as Located;
}

/** The paths with links by which a located file was requested; empty if its real path was. */
export function followedTo(file: Located): readonly string[] {
  return LocatedFile.followedTo(file);
}

/** The pinned root of a located file; undefined if the operator named the file or a journal did. */
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

/** A link that was renamed within this time may be one of two names that another process keeps exchanging. */
const RECENT_LINK_MS = 2000;
/** How long the name of a new link is watched for a folder. */
const WATCH_MS = 250;
/** A swap by two renames leaves short gaps without an entry; after this time the name is known to be missing. */
const GAP_MS = 5;
const PAUSE_MS = 1;

/**
 * A workspace may be named by a link. But a name that is first a link and then a folder is being swapped, and then the folder
 * is what the operator meant. An old link costs one lstat. A new link is followed if no folder appears in its place, and
 * one that was just renamed only after it has not changed for a while: the swapping process may wait for a busy disk.
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
    // A name that was missing at the last lstat is not opened: it may be a link by now.
    if (seen === undefined) throw Object.assign(new Error(`folder not found: ${given}`), { code: 'ENOENT' });
    if (renamed !== undefined && renamed !== firstRename) throw swapped(given);
    return openFolderName(given);
  }
}

/** How long to watch a name after this lstat. */
function watchTime(seen: Stats | undefined): number {
  if (seen === undefined) return GAP_MS;
  return seen.isDirectory() || isRecentLink(seen) ? WATCH_MS : 0;
}

/** When a link was renamed, if recently. Creation sets ctime and birthtime to the same time; a later rename changes ctime. */
function recentRename(seen: Stats | undefined): number | undefined {
  return seen !== undefined && isRecentLink(seen) && seen.ctimeMs !== seen.birthtimeMs ? seen.ctimeMs : undefined;
}

function isRecentLink(seen: Stats): boolean {
  return seen.isSymbolicLink() && Math.abs(Date.now() - seen.ctimeMs) < RECENT_LINK_MS;
}

function swapped(given: string): Fault {
  return new Fault('FS_CHANGED', `${given} is a symlink that another program keeps renaming`, {
    hint: 'find the program that renames it, or name the folder itself',
    details: { path: given },
  });
}

function tryFolder(given: string): number | undefined {
  try {
    return openFolderItself(given);
  } catch {
    return undefined; // a link, or missing: the final open reports which
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
    hint: 'set --workspace, or --cwd of pincer path, to a folder; pincer path takes a file with --file',
  });
}

function noFolder(given: string, error: unknown): unknown {
  if (errnoOf(error) !== 'ENOENT') return readFault(error, given);
  return new Fault('FS_NOT_FOUND', `folder not found: ${given}`, {
    hint: 'set --workspace, or --cwd of pincer path, to an existing folder',
    cause: error,
  });
}
