import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import type { Located, OpenFile, Stamp } from '../shape.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { fileChanged } from '../faults.ts';
import { openReadable } from './open-to-write.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sameStamp, stampOf } from '../stamp.ts';
import { isContentUnchanged } from './racy-stamp.ts';

/** An open file that is about to be changed. */
export interface WriteSource {
  readonly open: OpenFile;
  /** Closed with `open`. */
  readonly fd: number;
  readonly stats: BigIntStats;
}

/** Opens a file that must be unchanged since it was read and writable for this user; the caller closes it. */
export function openSource(folder: PinnedFolder, file: Located, expected: Stamp): WriteSource {
  const isExpected = (now: Stamp): boolean => sameStamp(now, expected);
  const { fd, stats } = openReadable(folder.at(basename(file.path)), file.path, isExpected);
  const open = new DescriptorFile(file, fd, stampOf(stats));
  try {
    if (!isContentUnchanged(expected, open)) throw fileChanged(file.path);
    return { open, fd, stats };
  } catch (error) {
    open.close();
    throw error;
  }
}
