/** The folders of a batch: each is pinned once, created if it is missing, swept once, and flushed once. */
import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Located } from '../shape.ts';
import { errnoOf, reason } from '../faults.ts';
import { isMissing } from '../locks/lock-file.ts';
import { changeMode } from './change-mode.ts';
import { pinParent } from '../gate/parent.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { notFolder } from '../gate/refusals.ts';
import { asLocated, rootOf } from '../gate/root.ts';
import { flushFolder, sweepTemps } from '../write/temp.ts';
import type { WriteOptions } from '../write/write-options.ts';

/** A pinned folder is a descriptor. A batch over more folders than this closes them and pins them again on demand. */
const MOST_PINNED = 512;

export class Folders {
  readonly #pinned = new Map<string, PinnedFolder>();
  readonly #swept = new Set<string>();
  readonly #disks = new Map<string, bigint>();
  readonly #created: Located[] = [];
  readonly #touched = new Map<string, Located>();

  of(file: Located): PinnedFolder {
    const path = dirname(file.path);
    const known = this.#pinned.get(path);
    if (known !== undefined) return known;
    if (this.#pinned.size >= MOST_PINNED) this.#release();
    const folder = pinParent(file);
    this.#pinned.set(path, folder);
    return folder;
  }

  /** The device number of the file system of a file's folder. */
  diskOf(file: Located): bigint {
    const path = dirname(file.path);
    const known = this.#disks.get(path);
    if (known !== undefined) return known;
    const { dev } = lstatSync(this.of(file).at('.'), { bigint: true });
    this.#disks.set(path, dev);
    return dev;
  }

  /** Whether something exists at a path. */
  has(file: Located): boolean {
    const folder = this.find(file);
    return folder !== undefined && lstatSync(folder.at(basename(file.path)), { throwIfNoEntry: false }) !== undefined;
  }

  /** The folder of a file; undefined if it does not exist. */
  find(file: Located): PinnedFolder | undefined {
    try {
      return this.of(file);
    } catch (error) {
      if (error instanceof Fault && error.code === 'FS_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** The missing folders on the path of a file, the outermost first. */
  missing(file: Located): readonly Located[] {
    const missing: Located[] = [];
    for (let at: Located | undefined = file; at !== undefined && this.find(at) === undefined; ) {
      at = parentOf(at);
      if (at !== undefined) missing.unshift(at);
    }
    return missing;
  }

  /** Creates these folders, each inside its pinned parent, unless another process creates them at the same time. */
  create(folders: readonly Located[], modes: ReadonlyMap<string, number> = new Map()): void {
    for (const folder of folders) {
      const parent = this.of(folder);
      const name = basename(folder.path);
      try {
        mkdirSync(parent.at(name));
        const mode = modes.get(folder.path);
        if (mode !== undefined) changeMode(parent, folder, mode);
        this.#created.push(folder);
        this.touch(folder);
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
        if (!lstatSync(parent.at(name)).isDirectory()) throw notFolder(folder.path);
      }
    }
  }

  /** The outermost first. */
  get created(): readonly Located[] {
    return this.#created;
  }

  /** Removes the temporary files of dead writers from the folder of this file, once per folder. */
  sweep(file: Located): void {
    const path = dirname(file.path);
    if (this.#swept.has(path)) return;
    this.#swept.add(path);
    sweepTemps(this.of(file), path);
  }

  /** Notes that entries in the folder of this file change, so that `flush` flushes it. */
  touch(file: Located): void {
    const path = dirname(file.path);
    if (!this.#touched.has(path)) this.#touched.set(path, file);
  }

  flush(): void {
    for (const file of this.#touched.values()) flushFolder(this.of(file).at('.'));
  }

  /** Removes the created folders that are still empty; one that stays does no harm. */
  removeCreated(): void {
    for (const folder of this.#created.splice(0).reverse()) {
      try {
        removeEmpty(this.of(folder).at(basename(folder.path)));
      } catch {
        // The error that led here is the one to report.
      }
    }
  }

  close(): void {
    this.#release();
  }

  #release(): void {
    for (const folder of this.#pinned.values()) folder.close();
    this.#pinned.clear();
  }
}

export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR' && !isMissing(error, path)) throw error;
  }
}

/** The folder of a file as a located path; undefined at the root, which is never created. */
export function parentOf(file: Located): Located | undefined {
  const path = dirname(file.path);
  return path === file.root || path === dirname(path) ? undefined : asLocated(path, rootOf(file) ?? file.root);
}

/** Removes those of these folders that are empty, the innermost first; warns of a folder that cannot be removed. */
export function removeEmptyFolders(folders: readonly Located[], { durable = true, warn }: WriteOptions): void {
  const pinned = new Folders();
  try {
    for (const folder of folders.toSorted((a, b) => b.path.length - a.path.length)) {
      try {
        removeEmpty(pinned.of(folder).at(basename(folder.path)));
        pinned.touch(folder);
      } catch (error) {
        warn?.(`the folder ${folder.path} could not be removed: ${reason(error)}`);
      }
    }
    if (durable) pinned.flush();
  } finally {
    pinned.close();
  }
}
