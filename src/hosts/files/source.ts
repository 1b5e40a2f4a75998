import { closeSync, constants, fstatSync, openSync, type BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import type { Located, OpenFile, Stamp } from '../host.ts';
import { DescriptorFile } from './descriptor-file.ts';
import { changed, errnoOf } from './faults.ts';
import { LEAF_ONLY, type PinnedFolder } from './pin.ts';
import { sameStamp, stampOf } from './stamp.ts';
import { contentStands } from './young.ts';

/** A file about to be changed, open, as it was read. */
export interface Source {
  readonly open: OpenFile;
  /** Closed with `open`. */
  readonly fd: number;
  readonly stats: BigIntStats;
}

/** Opens a file that must still be as it was read, and that this user may write; the caller closes it. */
export function openSource(folder: PinnedFolder, file: Located, expected: Stamp): Source {
  const path = folder.at(basename(file.path));
  let fd: number;
  try {
    // For writing too: a write-protected file is refused although its folder would allow the replacement.
    fd = openSync(path, constants.O_RDWR | LEAF_ONLY);
  } catch (error) {
    const code = errnoOf(error);
    throw code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR' ? changed(file.path) : error;
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    const stamp = stampOf(stats);
    const open = new DescriptorFile(file, fd, stamp);
    if (!stats.isFile() || !sameStamp(stamp, expected) || !contentStands(expected, open)) throw changed(file.path);
    return { open, fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
