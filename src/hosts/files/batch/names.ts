/** The steps that change names. Each is one call to the system, or leaves nothing lost when it stops in between. */
import { linkSync, lstatSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import type { Located } from '../../host.ts';
import { errnoOf } from '../faults.ts';
import { removeIfThere } from '../lock-file.ts';
import type { PinnedFolder } from '../pin.ts';
import { somethingThere } from '../refusals.ts';

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
  removeIfThere(from);
}
