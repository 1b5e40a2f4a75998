/** The gate that every path of a tool passes: to open a file, to locate one for writing, or to list a folder. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import type { Located, OpenFile, LocatedEntry, EntryType } from '../shape.ts';
import { relativeInside } from '../../relative-inside.ts';
import { readFault } from '../faults.ts';
import { nearestNames } from '../../../text/nearest-names.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { tryOpenEntry } from './open.ts';
import { pinBelow } from './parent.ts';
import { describe, hasFdPaths, LEAF_ONLY, type PinnedFolder } from './pin.ts';
import { refuseState } from './protect.ts';
import { hardLinkedRead, irregular, isFolder, missing, unsettled } from './refusals.ts';
import { asLocated, type Root } from './root.ts';
import { stampOf } from '../stamp.ts';
import { splitPath } from './steps.ts';
import { hasTempLink } from '../write/temp.ts';
import { linkText } from './link-text.ts';
import { readToolPath, type PathBase } from './tool-path.ts';
import { MOST_DEEP, walk, type Arrival } from './walk.ts';

export interface BoundaryOptions extends PathBase {
  /** The real path of the workspace, which names in results are relative to. */
  readonly workspace: string;
  readonly stateDir: string;
  /** Whether files with hard links may be read. */
  readonly readHardLinks: boolean;
}

/** How many entries of a folder a fault lists when a file was expected. */
const MOST_ENTRIES = 50;
/** How often a file may be replaced between lstat and open. */
const MOST_TRIES = 20;
/** A prefix `@` or `~`, an empty name, `.` or `..`, or a character that no name has. */
const NOT_PLAIN = /^[@~]|(?:^|\/)\.{0,2}(?:\/|$)|\0|[\ud800-\udfff]/u;

export class Boundary {
  readonly #base: BoundaryOptions;

  constructor(base: BoundaryOptions) {
    this.#base = base;
  }

  open(asked: string): OpenFile {
    return this.#openFast(asked) ?? this.#openCarefully(asked);
  }

  place(asked: string, leaf: 'target' | 'itself'): LocatedEntry {
    return this.#placeFast(asked) ?? this.#walk(asked, leaf, (arrival) => this.#placeOf(asked, arrival));
  }

  nameOf(file: Located): string {
    const way = relativeInside(this.#base.workspace, file.path);
    if (way === '') return '.';
    return way === undefined ? file.path : splitPath(way).join('/');
  }

  list(asked: string): readonly string[] {
    return this.#walk(asked, 'target', (arrival) => {
      if (arrival.type === 'nothing') throw this.#missing(asked, arrival);
      if (arrival.type === 'entry') throw missing(asked, arrival.path, []);
      refuseState(arrival.path, this.#base.stateDir);
      return entriesOf(arrival.folder, arrival.path);
    });
  }

  /** Opens a file by a path of plain names; undefined if any step needs the careful walk. */
  #openFast(asked: string): OpenFile | undefined {
    const { root, stateDir } = this.#base;
    if (!this.#isPlain(asked)) return undefined;
    const path = pathBelow(root, asked);
    refuseState(path, stateDir);
    const located = asLocated(path, root);
    return root.files.open(located) ?? this.#openNamed(located, asked.split('/'));
  }

  #openNamed(located: Located, names: string[]): OpenFile | undefined {
    const { root } = this.#base;
    const leaf = names.pop()!;
    const opened = inFolder(root, names, (folder) => openFileIn(folder, leaf, located.path));
    if (opened === undefined) return undefined;
    const { fd, walkedAt } = opened;
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (stats.isFile() && stats.nlink === 1n && stats.dev === root.dev)
        return root.files.keep(located, fd, stats, walkedAt);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return undefined;
  }

  /** Locates a file by a path of plain names; undefined if any step needs the careful walk. */
  #placeFast(asked: string): LocatedEntry | undefined {
    const { root, stateDir } = this.#base;
    if (!this.#isPlain(asked)) return undefined;
    const names = asked.split('/');
    const leaf = names.pop()!;
    const stats = inFolder(root, names, (folder) =>
      lstatSync(folder.at(leaf), { bigint: true, throwIfNoEntry: false }),
    );
    if (stats?.isFile() !== true || stats.dev !== root.dev) return undefined;
    const path = pathBelow(root, asked);
    refuseState(path, stateDir);
    return {
      file: asLocated(path, root),
      type: 'file',
      stamp: stampOf(stats),
      mode: Number(stats.mode) & 0o7777,
    };
  }

  #isPlain(asked: string): boolean {
    return asked.length < 2 * MOST_DEEP && hasFdPaths() && this.#base.start.length === 0 && !NOT_PLAIN.test(asked);
  }

  #openCarefully(asked: string): OpenFile {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const file = this.#walk(asked, 'target', (arrival) => {
        if (arrival.type === 'nothing') throw this.#missing(asked, arrival);
        if (arrival.type === 'folder') throw this.#isFolder(asked, arrival);
        return this.#openEntry(asked, arrival);
      });
      if (file !== undefined) return file;
    }
    throw unsettled(asked);
  }

  /** Undefined if the entry was replaced since the walk, or if its writer is about to unlink its temporary name. */
  #openEntry(asked: string, arrival: Arrival & { type: 'entry' }): OpenFile | undefined {
    const { parent, name, path, stats, followed } = arrival;
    if (!this.#base.readHardLinks && stats.isFile() && hasTempLink(parent, name, stats)) return undefined;
    this.#refuse(asked, path, stats);
    const fd = tryOpenEntry(parent, name, asked);
    if (fd === undefined) return undefined;
    try {
      const now = fstatSync(fd, { bigint: true });
      if (now.dev === stats.dev && now.ino === stats.ino) {
        this.#refuse(asked, path, now);
        return new DescriptorFile(asLocated(path, this.#base.root, followed), fd, stampOf(now));
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return undefined;
  }

  #refuse(asked: string, path: string, stats: BigIntStats): void {
    refuseState(path, this.#base.stateDir);
    if (!stats.isFile()) throw irregular(asked, path, describe(stats));
    if (stats.nlink > 1n && !this.#base.readHardLinks) throw hardLinkedRead(asked, path, Number(stats.nlink));
  }

  #placeOf(asked: string, arrival: Arrival): LocatedEntry {
    const { path, followed } = arrival;
    refuseState(path, this.#base.stateDir);
    if (arrival.type === 'nothing' && arrival.wantsFolder) throw isFolder(asked, path, []);
    const stats = arrival.type === 'nothing' ? undefined : arrival.stats;
    return {
      file: asLocated(path, this.#base.root, followed),
      type: arrival.type === 'entry' ? entryType(arrival.stats) : arrival.type,
      stamp: stats && stampOf(stats),
      mode: stats && Number(stats.mode) & 0o7777,
      ...(arrival.type === 'entry' && arrival.stats.isSymbolicLink() ? linkIn(arrival) : {}),
    };
  }

  /** Walks to what a path means. If no entry has the leading `@`, it walks to the path without it. */
  #walk<T>(asked: string, leaf: 'target' | 'itself', arrive: (arrival: Arrival) => T): T {
    const { root } = this.#base;
    const { steps, withoutAt } = readToolPath(asked, this.#base);
    return walk({ root, steps, asked, leaf }, (arrival) => {
      if (withoutAt === undefined || arrival.type !== 'nothing' || this.#hasFirst(asked, steps)) return arrive(arrival);
      const second = readToolPath(withoutAt, this.#base);
      return walk({ root, steps: second.steps, asked: withoutAt, leaf }, arrive);
    });
  }

  /** Whether the first name of a path exists literally, also as a dangling link. */
  #hasFirst(asked: string, steps: readonly string[]): boolean {
    const { root, start } = this.#base;
    const first = steps.slice(0, start.length + 1);
    return walk({ root, steps: first, asked, leaf: 'itself' }, ({ type }) => type !== 'nothing');
  }

  #missing(asked: string, { parent, missing: names, path }: Arrival & { type: 'nothing' }): unknown {
    return missing(asked, path, neighbours(parent, names[0]));
  }

  #isFolder(asked: string, { folder, path }: Arrival & { type: 'folder' }): unknown {
    refuseState(path, this.#base.stateDir);
    return isFolder(asked, path, entriesOf(folder, path).slice(0, MOST_ENTRIES));
  }
}

/** Works in the folder that plain names lead to; undefined if that fails. */
function inFolder<T>(root: Root, names: readonly string[], work: (folder: PinnedFolder) => T): T | undefined {
  let folder: PinnedFolder | undefined;
  try {
    folder = pinBelow(root, names);
    return work(folder);
  } catch {
    return undefined; // the careful walk fails in the same way and reports why
  } finally {
    folder?.close();
  }
}

interface OpenedFile {
  readonly fd: number;
  /** When the cached folder was walked to. */
  readonly walkedAt: number | undefined;
}

/**
 * It calls lstat first: opening a named pipe would unblock its writer, whose data is then lost. This lstat need not be safe
 * against renames, because O_NOFOLLOW and fstat check again, so it uses the plain path, which is faster.
 */
function openFileIn(folder: PinnedFolder, leaf: string, path: string): OpenedFile | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return { fd: openSync(folder.at(leaf), constants.O_RDONLY | LEAF_ONLY), walkedAt: folder.walkedAt };
}

function pathBelow(root: Root, names: string): string {
  return root.path === '/' ? `/${names}` : `${root.path}/${names}`;
}

/** The target of a link; none if it was replaced or is not UTF-8. */
function linkIn({ parent, name, path }: Arrival & { type: 'entry' }): Pick<LocatedEntry, 'link'> {
  const link = linkText(parent, name, path);
  return link === undefined ? {} : { link };
}

function entryType(stats: BigIntStats): EntryType {
  return stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other';
}

function entriesOf(folder: PinnedFolder, path: string): readonly string[] {
  try {
    return readdirSync(folder.at('.'), { withFileTypes: true })
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort();
  } catch (error) {
    throw readFault(error, path);
  }
}

/** The entries of a folder with names similar to a missing one. */
export function neighbours(folder: PinnedFolder, name: string): readonly string[] {
  try {
    return nearestNames(name, readdirSync(folder.at('.')));
  } catch {
    return []; // suggestions are optional; the caller reports the fault
  }
}

/** The boundary is the workspace, or the whole machine with relative paths from the workspace. */
export function boundaryBase(
  workspace: Root,
  machine: Root | undefined,
): Pick<BoundaryOptions, 'root' | 'start' | 'workspace'> {
  if (machine === undefined) return { root: workspace, start: [], workspace: workspace.path };
  return { root: machine, start: splitPath(workspace.path), workspace: join(workspace.path) };
}
