import { closeSync, constants, fchmodSync, fchownSync, fstatSync, fsyncSync, lstatSync, openSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { ByteSplice, Located, OpenFile, Stamp } from '../host.ts';
import { orderSplices, writeSpliced } from './copy.ts';
import { changed, errnoOf } from './faults.ts';
import { removeIfThere } from './lock-file.ts';
import { openRegular, type PinnedFolder } from './pin.ts';
import { sameStamp, stampOf } from './stamp.ts';

/** A finished file beside its target, durable, with the target's mode and owner. */
export interface Prepared {
  readonly temp: string;
  readonly ino: bigint;
  readonly size: number;
}

/** The target as it stands, which must be as it was read. */
export function expectUnchanged(folder: PinnedFolder, file: Located, expected: Stamp): BigIntStats {
  const stats = lstatSync(folder.at(basename(file.path)), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !sameStamp(stampOf(stats), expected)) throw changed(file.path);
  return stats;
}

/** Writes the new content under the name `temp`; on any failure that file is gone again. */
export function prepare(
  folder: PinnedFolder,
  file: OpenFile,
  splices: readonly ByteSplice[],
  expected: Stamp,
  temp: string,
): Prepared {
  const { located } = file;
  const ordered = orderSplices(splices, file.size);
  const target = expectUnchanged(folder, located, expected);
  if (target.nlink > 1n) throw hardLinked(located, target.nlink);
  // A write-protected file is refused although its folder would allow the replacement.
  closeSync(openRegular(folder, located, constants.O_WRONLY));
  const path = folder.at(temp);
  const fd = openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    0o600,
  );
  try {
    const size = writeSpliced(fd, file, ordered);
    if (size === undefined) throw changed(located.path);
    keepOwnerAndMode(fd, target);
    fsyncSync(fd);
    return { temp, ino: fstatSync(fd, { bigint: true }).ino, size };
  } catch (error) {
    removeIfThere(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Changing the owner clears the set-user bits, so the mode comes last; a file that changes hands loses them. */
function keepOwnerAndMode(fd: number, target: BigIntStats): void {
  const made = fstatSync(fd, { bigint: true });
  const sameOwner = made.uid === target.uid && made.gid === target.gid;
  const kept = sameOwner || tryOwner(fd, target.uid, target.gid);
  if (!kept && made.gid !== target.gid) tryOwner(fd, made.uid, target.gid);
  fchmodSync(fd, Number(target.mode) & (kept ? 0o7777 : 0o1777));
}

function tryOwner(fd: number, uid: bigint, gid: bigint): boolean {
  try {
    fchownSync(fd, Number(uid), Number(gid));
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EPERM' || code === 'EINVAL' || code === 'ENOSYS') return false;
    throw error;
  }
}

function hardLinked(file: Located, names: bigint): Fault {
  return new Fault('FS_HARD_LINKED', `${file.path} has ${names} names (hard links); replacing it would part them`, {
    hint: 'give the file one name (cp it and mv the copy over it), or change it with an editor that writes in place',
    details: { path: file.path, names: Number(names) },
  });
}
