import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import type { Located, OpenFile, Stamp } from '../shape.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { fileChanged } from '../faults.ts';
import { openReadable } from './open-to-write.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sameStamp, stampOf } from '../stamp.ts';
import { contentStands } from './racy-stamp.ts';

/** A file about to be changed, open, as it was read. */
export interface Source {
  readonly open: OpenFile;
  /** Closed with `open`. */
  readonly fd: number;
  readonly stats: BigIntStats;
}

/** Opens a file that must still be as it was read, and that this user may write; the caller closes it. */
export function openSource(folder: PinnedFolder, file: Located, expected: Stamp): Source {
  const isExpected = (now: Stamp): boolean => sameStamp(now, expected);
  const { fd, stats } = openReadable(folder.at(basename(file.path)), file.path, isExpected);
  const open = new DescriptorFile(file, fd, stampOf(stats));
  try {
    if (!contentStands(expected, open)) throw fileChanged(file.path);
    return { open, fd, stats };
  } catch (error) {
    open.close();
    throw error;
  }
}
