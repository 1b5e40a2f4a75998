import { basename } from 'node:path';
import type { Located } from '../shape.ts';
import { reason } from '../faults.ts';
import type { WriteOptions } from '../write/writing.ts';
import { Folders, removeEmpty } from './folders.ts';

/** Removes those of these folders that are empty, the innermost first; one that stays although it is empty is warned of. */
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
