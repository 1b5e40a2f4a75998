/** Sets the times of a file or folder to now. */
import { closeSync, constants, fstatSync, futimesSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import type { Located } from '../shape.ts';
import { writeFault } from '../faults.ts';
import { pinParent } from '../gate/parent.ts';
import { describe } from '../gate/pin.ts';
import { irregular } from '../gate/refusals.ts';
import { refuseProtected, type WriteOptions } from './write-options.ts';

export function touch(file: Located, options: WriteOptions): void {
  refuseProtected([file], options);
  const folder = pinParent(file);
  try {
    const path = folder.at(basename(file.path));
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile() && !stats.isDirectory()) throw irregular(file.path, file.path, describe(stats));
      const now = Date.now() / 1000;
      futimesSync(fd, now, now);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw writeFault(error, file.path);
  } finally {
    folder.close();
  }
}
