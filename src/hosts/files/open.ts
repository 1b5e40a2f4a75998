import { closeSync, constants, fstatSync } from 'node:fs';
import type { Located, OpenFile } from '../host.ts';
import { DescriptorFile } from './descriptor-file.ts';
import { readFault } from './faults.ts';
import { openRegular, pinParent } from './parent.ts';
import { hardLinkedRead } from './refusals.ts';
import { rootOf } from './root.ts';
import { stampOf } from './stamp.ts';

/** Opens a located file for reading; the caller closes it. One of several names may be refused, since its place says little. */
export function openFile(located: Located, hardLinks: 'read' | 'refuse' = 'read'): OpenFile {
  const held = rootOf(located)?.files.open(located);
  if (held !== undefined) return held;
  const folder = pinParent(located);
  try {
    return openDescriptor(located, openRegular(folder, located, constants.O_RDONLY), hardLinks);
  } catch (error) {
    throw readFault(error, located.path);
  } finally {
    folder.close();
  }
}

/** An open file from a descriptor, which it owns from now on. */
export function openDescriptor(located: Located, fd: number, hardLinks: 'read' | 'refuse' = 'read'): OpenFile {
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (hardLinks === 'refuse' && stats.nlink > 1n)
      throw hardLinkedRead(located.path, located.path, Number(stats.nlink));
    return rootOf(located)?.files.keep(located, fd, stats) ?? new DescriptorFile(located, fd, stampOf(stats));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
