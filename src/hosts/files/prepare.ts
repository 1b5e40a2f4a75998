import { closeSync, constants, fchmodSync, fchownSync, fstatSync, fsyncSync, lstatSync, openSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { ByteSplice, Located, Stamp } from '../host.ts';
import { copyAttributes } from './attributes.ts';
import { orderSplices, writeAll, writeSpliced } from './copy.ts';
import { changed, errnoOf } from './faults.ts';
import { removeIfThere } from './lock-file.ts';
import type { PinnedFolder } from './pin.ts';
import type { Source } from './source.ts';
import { sameStamp, stampOf } from './stamp.ts';

/** A finished file beside its target. */
export interface Prepared {
  readonly temp: string;
  readonly ino: bigint;
  readonly size: number;
}

export interface PrepareOptions {
  readonly temp: string;
  /** Whether the content is made durable here; a large batch does it for all of them at once. */
  readonly flush: boolean;
  /** Whether it is a file of ours only, which needs nobody's mode and owner. */
  readonly plain?: boolean;
  /** Whether extended attributes are worth a process. */
  readonly attributes?: boolean;
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** The target as it stands, which must be as it was read. */
export function expectUnchanged(folder: PinnedFolder, file: Located, expected: Stamp): BigIntStats {
  const stats = lstatSync(folder.at(basename(file.path)), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !sameStamp(stampOf(stats), expected)) throw changed(file.path);
  return stats;
}

/**
 * Writes the source with the splices put in as a new file, with its mode and owner; on failure it is gone. Until it has
 * its group and its list nobody but its owner may read it, so the mode comes last.
 */
export function prepareSpliced(
  folder: PinnedFolder,
  { open: source, fd: sourceFd, stats: like }: Source,
  splices: readonly ByteSplice[],
  options: PrepareOptions,
): Prepared {
  const ordered = orderSplices(splices, source.size);
  return prepare(folder, 0o600, options, (fd, made) => {
    const kept = options.plain === true ? undefined : keepOwner(fd, made, like);
    const size = writeSpliced(fd, source, ordered);
    if (size === undefined) throw changed(source.located.path);
    if (kept === undefined) return size;
    if (kept === 'both' && options.attributes === true) copyAttributes(sourceFd, fd);
    fchmodSync(fd, modeFor(Number(like.mode), kept));
    return size;
  });
}

/** The mode of a new file. It belongs to whoever makes it, so it never runs as its owner or group. */
export function modeOfNew(mode: number | undefined): number {
  return mode === undefined ? 0o666 & ~process.umask() : mode & 0o1777;
}

/** Writes a new file with these bytes; without a mode it gets the one that any new file gets, from the beginning. */
export function prepareNew(
  folder: PinnedFolder,
  bytes: Uint8Array,
  mode: number | undefined,
  options: PrepareOptions,
): Prepared {
  return prepare(folder, mode === undefined ? 0o666 : 0o600, options, (fd) => {
    writeAll(fd, bytes);
    if (mode !== undefined) fchmodSync(fd, modeOfNew(mode));
    return bytes.length;
  });
}

function prepare(
  folder: PinnedFolder,
  mode: number,
  { temp, flush }: PrepareOptions,
  fill: (fd: number, made: BigIntStats) => number,
): Prepared {
  const path = folder.at(temp);
  const fd = openSync(path, NEW_FILE, mode);
  try {
    const made = fstatSync(fd, { bigint: true });
    const size = fill(fd, made);
    if (flush) fsyncSync(fd);
    return { temp, ino: made.ino, size };
  } catch (error) {
    removeIfThere(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** What a new file has of the one that it is like. */
type Kept = 'both' | 'group' | 'neither';

function keepOwner(fd: number, made: BigIntStats, like: BigIntStats): Kept {
  const sameGroup = made.gid === like.gid;
  if ((sameGroup && made.uid === like.uid) || tryOwner(fd, like.uid, like.gid)) return 'both';
  return sameGroup || tryOwner(fd, made.uid, like.gid) ? 'group' : 'neither';
}

/** A file that changes hands does not run as its owner or group, and another group gets no more than everybody. */
function modeFor(mode: number, kept: Kept): number {
  if (kept === 'both') return mode & 0o7777;
  const forGroup = kept === 'group' ? 0o070 : (mode & 0o007) << 3;
  return mode & (0o1707 | forGroup);
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

/** A file of several names: a replacement would part them. */
export function hardLinked(file: Located, names: bigint): Fault {
  return new Fault('FS_HARD_LINKED', `${file.path} has ${names} names (hard links); replacing it would part them`, {
    hint: 'give the file one name (cp it and mv the copy over it), or change it with an editor that writes in place',
    details: { path: file.path, names: Number(names) },
  });
}
