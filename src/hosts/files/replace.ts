import { renameSync } from 'node:fs';
import { basename } from 'node:path';
import type { ByteSplice, OpenFile, Stamp, Written } from '../host.ts';
import { exclusively } from './exclusively.ts';
import { changed, notDurable, writeFault } from './faults.ts';
import { removeIfThere } from './lock-file.ts';
import type { LockOptions } from './locks.ts';
import { pinParent } from './pin.ts';
import { expectUnchanged, prepare } from './prepare.ts';
import { sameStamp } from './stamp.ts';
import { flushFolder, sweepTemps, tempName } from './temp.ts';

/**
 * Puts splices into a file: a finished copy takes its name in one step, so that every reader, at any moment and
 * after any crash, sees all of the old or all of the new bytes.
 */
export function replace(
  file: OpenFile,
  splices: readonly ByteSplice[],
  options: LockOptions,
  expected: Stamp = file.stamp,
): Written {
  const { path } = file.located;
  if (splices.length === 0) return { path, size: file.size, changed: false };
  if (!sameStamp(expected, file.stamp)) throw changed(path);
  return exclusively([file.located], options, () => {
    try {
      return { path, size: replaceLocked(file, splices, expected), changed: true };
    } catch (error) {
      throw writeFault(error, path);
    }
  });
}

function replaceLocked(file: OpenFile, splices: readonly ByteSplice[], expected: Stamp): number {
  const folder = pinParent(file.located);
  try {
    sweepTemps(folder);
    const { temp, size } = prepare(folder, file, splices, expected, tempName(basename(file.located.path), 'lone'));
    try {
      expectUnchanged(folder, file.located, expected);
      renameSync(folder.at(temp), folder.at(basename(file.located.path)));
    } catch (error) {
      removeIfThere(folder.at(temp));
      throw error;
    }
    try {
      flushFolder(folder.at('.'));
    } catch (error) {
      throw notDurable(error, file.located.path);
    }
    return size;
  } finally {
    folder.close();
  }
}
