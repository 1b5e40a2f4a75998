/** Pins the folder of a located file while the file is in use, and opens the file in it. */
import { closeSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { partBelow } from '../../../base/inside.ts';
import { Fault } from '../../../base/fault.ts';
import type { Located } from '../shape.ts';
import { errnoOf, notFound, notRegular, readFault } from '../faults.ts';
import {
  describe,
  folderOf,
  hasFdPaths,
  LEAF_ONLY,
  openFolderName,
  pinEntry,
  plainFolder,
  type PinnedFolder,
} from './pin.ts';
import { rootOf, type Root } from './root.ts';

/** Pins the folder of a located file without following links. */
export function pinParent(file: Located): PinnedFolder {
  const folder = dirname(file.path);
  const root = rootOf(file);
  const start = root?.path ?? file.root ?? folder;
  const why: WhyNot = (error, parent, step) => whyNotPinned(error, file, parent, step);
  if (folder === start) return root?.folder ?? pinTop(file, start);
  const names = partBelow(folder, start, sep)?.split(sep);
  if (names === undefined) throw new Fault('INTERNAL_LOCATED', `${file.path} is not below ${start}`);
  return root === undefined ? pinSteps(pinTop(file, start), names, why) : pinBelow(root, names, why);
}

/** Converts the error of a folder that cannot be pinned. */
type WhyNot = (error: unknown, parent: PinnedFolder, step: string) => unknown;

/** Opening one folder takes no longer than the readlink that checks a cached one. */
const FEW = 1;

/** Pins the folder that these names lead to. Each must be a folder, not a link. */
export function pinBelow(root: Root, names: readonly string[], why: WhyNot = (error) => error): PinnedFolder {
  if (names.length <= FEW) return pinSteps(root.folder, names, why);
  const path = (root.path === sep ? '' : root.path) + sep + names.join(sep);
  return root.folders.take(path) ?? root.folders.keep(path, pinSteps(root.folder, names, why));
}

function pinSteps(top: PinnedFolder, names: readonly string[], why: WhyNot): PinnedFolder {
  let here = top;
  for (const name of names) {
    const parent = here;
    try {
      here = pinEntry(parent, name);
    } catch (error) {
      throw why(error, parent, name);
    } finally {
      parent.close();
    }
  }
  return here;
}

/** The start of a walk without a pinned root; fails if it has become a link. */
function pinTop(file: Located, path: string): PinnedFolder {
  const above = plainFolder(dirname(path));
  try {
    return path === dirname(path)
      ? hasFdPaths()
        ? folderOf(openFolderName(path))
        : plainFolder(path)
      : pinEntry(above, basename(path));
  } catch (error) {
    throw whyNotPinned(error, file, above, basename(path));
  }
}

function whyNotPinned(error: unknown, file: Located, parent: PinnedFolder, step: string): unknown {
  const code = errnoOf(error);
  if (code !== 'ENOTDIR' && code !== 'ELOOP') return readFault(error, file.path);
  const stats = lstatSync(parent.at(step), { throwIfNoEntry: false });
  return stats === undefined || stats.isSymbolicLink() || stats.isDirectory() ? swapped(file) : notFound(file.path);
}

function swapped(file: Located): Fault {
  return new Fault('FS_CHANGED', `${file.path} or one of its folders was replaced with a symlink while it was in use`, {
    hint: 'run the command again',
    details: { path: file.path },
  });
}

/** Opens a regular file in its pinned folder. Checks with lstat before open, and with fstat after it. */
export function openRegular(folder: PinnedFolder, file: Located, flags: number): number {
  const path = folder.at(basename(file.path));
  refuseIrregular(lstatSync(path), file);
  let fd: number;
  try {
    fd = openSync(path, flags | LEAF_ONLY);
  } catch (error) {
    throw errnoOf(error) === 'ELOOP' ? swapped(file) : error;
  }
  try {
    refuseIrregular(fstatSync(fd), file);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function refuseIrregular(stats: Stats, file: Located): void {
  if (stats.isSymbolicLink()) throw swapped(file);
  if (!stats.isFile()) throw notRegular(file.path, describe(stats));
}
