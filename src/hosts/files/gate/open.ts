import { closeSync, constants, fstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { Located, OpenFile } from '../shape.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { readFault } from '../faults.ts';
import { openRegular, pinParent } from './parent.ts';
import type { PinnedFolder } from './pin.ts';
import { hardLinkedRead, unsettled } from './refusals.ts';
import { rootOf } from './root.ts';
import { stampOf } from '../stamp.ts';
import { isJustNamed } from '../write/temp.ts';

/** How often a new file may be met with both of its names. */
const MOST_TRIES = 20;

/** Opens a located file for reading; the caller closes it. One of several names may be refused, since its place says little. */
export function openFile(located: Located, hardLinks: 'read' | 'refuse' = 'read'): OpenFile {
  const held = rootOf(located)?.files.open(located);
  if (held !== undefined) return held;
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

/** An open file from a descriptor, which it owns from now on; undefined when the file is so new that it has two names. */
export function openDescriptor(
  located: Located,
  fd: number,
  folder: PinnedFolder,
  hardLinks: 'read' | 'refuse',
): OpenFile | undefined {
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (hardLinks === 'refuse' && stats.nlink > 1n) {
      if (!isJustNamed(folder, basename(located.path), stats))
        throw hardLinkedRead(located.path, located.path, Number(stats.nlink));
      closeSync(fd);
      return undefined;
    }
    const held = rootOf(located)?.files.keep(located, fd, stats, folder.walkedAt);
    return held ?? new DescriptorFile(located, fd, stampOf(stats));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
