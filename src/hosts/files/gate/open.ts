import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import type { Located, OpenFile } from '../shape.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { errnoOf, readFault } from '../faults.ts';
import { openRegular, pinParent } from './parent.ts';
import { LEAF_ONLY, type PinnedFolder } from './pin.ts';
import { hardLinkedRead, unsettled } from './refusals.ts';
import { rootOf } from './root.ts';
import { stampOf } from '../stamp.ts';
import { hasTempLink } from '../write/temp.ts';

/** How often a new file may be seen while it still has its temporary name. */
const MOST_TRIES = 20;

/** Opens a located file for reading; the caller closes it. `refuse` refuses files with hard links. */
export function openFile(located: Located, hardLinks: 'read' | 'refuse' = 'read'): OpenFile {
  const cached = rootOf(located)?.files.open(located);
  if (cached !== undefined) return cached;
  const folder = pinParent(located);
  try {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const fd = openRegular(folder, located, constants.O_RDONLY);
      const file = openDescriptor(located, fd, folder, hardLinks);
      if (file !== undefined) return file;
    }
    throw unsettled(located.path);
  } catch (error) {
    throw readFault(error, located.path);
  } finally {
    folder.close();
  }
}

/** Wraps a descriptor and owns it from now on; undefined if the file still has its temporary name as a second link. */
export function openDescriptor(
  located: Located,
  fd: number,
  folder: PinnedFolder,
  hardLinks: 'read' | 'refuse',
): OpenFile | undefined {
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (hardLinks === 'refuse' && stats.nlink > 1n) {
      if (!hasTempLink(folder, basename(located.path), stats))
        throw hardLinkedRead(located.path, located.path, Number(stats.nlink));
      closeSync(fd);
      return undefined;
    }
    const cached = rootOf(located)?.files.keep(located, fd, stats, folder.walkedAt);
    return cached ?? new DescriptorFile(located, fd, stampOf(stats));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens an entry for reading; undefined if it was removed or replaced by a link or socket since its lstat. */
export function tryOpenEntry(parent: PinnedFolder, name: string, shown: string): number | undefined {
  try {
    return openSync(parent.at(name), constants.O_RDONLY | LEAF_ONLY);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ELOOP' || code === 'ENOENT' || code === 'ENXIO') return undefined;
    throw readFault(error, shown);
  }
}
