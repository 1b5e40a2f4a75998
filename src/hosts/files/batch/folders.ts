/** The folders of a batch: each pinned once, made where it is missing, swept once, and flushed once. */
import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Located } from '../shape.ts';
import { errnoOf } from '../faults.ts';
import { isMissing } from '../locks/lock-file.ts';
import { pinParent } from '../gate/parent.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { notFolder } from '../gate/refusals.ts';
import { asLocated, rootOf } from '../gate/root.ts';
import { flushFolder, sweepTemps } from '../write/temp.ts';

/** Pinned folders are descriptors; a batch over more folders than this pins them again when it needs them. */
const MOST_PINNED = 512;

export class Folders {
  readonly #pinned = new Map<string, PinnedFolder>();
  readonly #swept = new Set<string>();
  readonly #disks = new Map<string, bigint>();
  readonly #made: Located[] = [];
  readonly #touched = new Map<string, Located>();

  /** The folder of a file, which must exist. */
  of(file: Located): PinnedFolder {
    const path = dirname(file.path);
    const known = this.#pinned.get(path);
    if (known !== undefined) return known;
    if (this.#pinned.size >= MOST_PINNED) this.#release();
    const folder = pinParent(file);
    this.#pinned.set(path, folder);
    return folder;
  }

  /** The device number of the file system that a file's folder stands on. */
  diskOf(file: Located): bigint {
    const path = dirname(file.path);
    const known = this.#disks.get(path);
    if (known !== undefined) return known;
    const { dev } = lstatSync(this.of(file).at('.'), { bigint: true });
    this.#disks.set(path, dev);
    return dev;
  }

  /** The folder of a file, or undefined when it is not there. */
  find(file: Located): PinnedFolder | undefined {
    try {
      return this.of(file);
    } catch (error) {
      if (error instanceof Fault && error.code === 'FS_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** The folders that a file needs and that do not exist, the outermost first. */
  missing(file: Located): readonly Located[] {
    const missing: Located[] = [];
    for (let at: Located | undefined = file; at !== undefined && this.find(at) === undefined; ) {
      at = above(at);
      if (at !== undefined) missing.unshift(at);
    }
    return missing;
  }

  /** Makes these folders, each inside its pinned parent; one that somebody else made meanwhile is as good. */
  make(folders: readonly Located[]): void {
    for (const folder of folders) {
      const parent = this.of(folder);
      const name = basename(folder.path);
      try {
        mkdirSync(parent.at(name));
        this.#made.push(folder);
        this.touch(folder);
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
        if (!lstatSync(parent.at(name)).isDirectory()) throw notFolder(folder.path);
      }
    }
  }

  /** The folders that were made, the outermost first. */
  get made(): readonly Located[] {
    return this.#made;
  }

  /** Removes what writers that died left beside this file, once per folder. */
  sweep(file: Located): void {
    const path = dirname(file.path);
    if (this.#swept.has(path)) return;
    this.#swept.add(path);
    sweepTemps(this.of(file), path);
  }

  /** Notes that names in the folder of this file change, so that they have to be flushed. */
  touch(file: Located): void {
    const path = dirname(file.path);
    if (!this.#touched.has(path)) this.#touched.set(path, file);
  }

  /** Makes the names in all touched folders durable. */
  flush(): void {
    for (const file of this.#touched.values()) flushFolder(this.of(file).at('.'));
  }

  /** Takes back the folders that were made, as far as nobody has put anything into them; an empty one does no harm. */
  unmake(): void {
    for (const folder of this.#made.splice(0).reverse()) {
      try {
        removeEmpty(this.of(folder).at(basename(folder.path)));
      } catch {
        // The failure that led here is the one to report.
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

/** Removes a folder if it is one and has nothing in it. */
export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR' && !isMissing(error, path)) throw error;
  }
}

/** The folder of a file as something located itself; undefined at the root, which nobody makes. */
export function above(file: Located): Located | undefined {
  const path = dirname(file.path);
  return path === file.root || path === dirname(path) ? undefined : asLocated(path, rootOf(file) ?? file.root);
}
