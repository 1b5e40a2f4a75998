/** The steps that change names. Each is one call to the system, or leaves nothing lost when it stops in between. */
import { linkSync, lstatSync, renameSync, symlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { Located, Stamp } from '../shape.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { somethingThere } from '../gate/refusals.ts';

/** File systems that have no hard links, or no more for this file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/** Gives what stands at `from` the name of `file`, unless something has that name already. */
export function giveFreeName(from: string, folder: PinnedFolder, file: Located): void {
  const path = folder.at(basename(file.path));
  try {
    linkSync(from, path);
  } catch (error) {
    const code = errnoOf(error) ?? '';
    if (code === 'EEXIST') throw somethingThere(file.path);
    if (!NO_LINKS.has(code)) throw error;
    // Without links the look and the renaming are two steps; only who does not take our locks can come between.
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw somethingThere(file.path);
    renameSync(from, path);
    return;
  }
  try {
    removeIfThere(from);
  } catch (error) {
    removeIfThere(path); // a file that keeps its old name has not moved, and one of two names is nobody's wish
    throw error;
  }
}

/** Makes a symbolic link, unless something has its name already. */
export function makeLink(folder: PinnedFolder, file: Located, target: string): void {
  try {
    symlinkSync(target, folder.at(basename(file.path)));
  } catch (error) {
    throw errnoOf(error) === 'EEXIST' ? somethingThere(file.path) : error;
  }
}

/** Renames a file that is to go out of sight, so that it can still come back; it must be the one that was meant. */
export function setAside(folder: PinnedFolder, file: Located, aside: string, old: Stamp): void {
  renameSync(folder.at(basename(file.path)), folder.at(aside));
  const stats = lstatSync(folder.at(aside), { bigint: true, throwIfNoEntry: false });
  // The renaming itself has changed the other time.
  if (stats?.ino === old.ino && stats.size === old.size && stats.mtimeNs === old.mtimeNs) return;
  giveFreeName(folder.at(aside), folder, file);
  throw fileChanged(file.path);
}
