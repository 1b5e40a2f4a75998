/** The steps that change names. Each is one system call, or loses nothing if it is interrupted. */
import { linkSync, lstatSync, renameSync, symlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { Located, Stamp } from '../shape.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { alreadyExists } from '../gate/refusals.ts';

/** Errors of `link` where the file system has no hard links, or no more for this file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/** Renames `from` to `file` unless that exists, as RENAME_NOREPLACE does, which Node cannot call. */
export function renameNoReplace(from: string, folder: PinnedFolder, file: Located): void {
  const path = folder.at(basename(file.path));
  try {
    linkSync(from, path);
  } catch (error) {
    const code = errnoOf(error) ?? '';
    if (code === 'EEXIST') throw alreadyExists(file.path);
    if (!NO_LINKS.has(code)) throw error;
    // Without `link` there is a race between lstat and rename, but only with programs that do not take Pincer's locks.
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw alreadyExists(file.path);
    renameSync(from, path);
    return;
  }
  try {
    removeIfThere(from);
  } catch (error) {
    removeIfThere(path); // the old name stays, so the file has not moved; a second link would be left behind
    throw error;
  }
}

export function makeLink(folder: PinnedFolder, file: Located, target: string): void {
  try {
    symlinkSync(target, folder.at(basename(file.path)));
  } catch (error) {
    throw errnoOf(error) === 'EEXIST' ? alreadyExists(file.path) : error;
  }
}

/** Renames a file that will be removed, so that it can be restored; throws if another file had the name. */
export function setAside(folder: PinnedFolder, file: Located, aside: string, old: Stamp): void {
  renameSync(folder.at(basename(file.path)), folder.at(aside));
  const stats = lstatSync(folder.at(aside), { bigint: true, throwIfNoEntry: false });
  // Not ctime, which the rename has changed.
  if (stats?.ino === old.ino && stats.size === old.size && stats.mtimeNs === old.mtimeNs) return;
  renameNoReplace(folder.at(aside), folder, file);
  throw fileChanged(file.path);
}
