/** Changes permissions without following a link that takes the place of the file. */
import { chmodSync, closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import type { Located } from '../shape.ts';
import { describe, hasFdPaths, type PinnedFolder } from '../gate/pin.ts';
import { irregular } from '../gate/refusals.ts';

/** Linux: a descriptor that needs no permission to read. */
const O_PATH = 0o10000000;

export function changeMode(folder: PinnedFolder, { path }: Located, mode: number): void {
  const access = hasFdPaths() ? O_PATH : constants.O_RDONLY | constants.O_NONBLOCK;
  const fd = openSync(folder.at(basename(path)), access | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile() && !stats.isDirectory()) throw irregular(path, path, describe(stats));
    if (hasFdPaths()) chmodSync(`/proc/self/fd/${fd}`, mode);
    else fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
