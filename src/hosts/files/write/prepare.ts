import { closeSync, constants, fchmodSync, fchownSync, fstatSync, fsyncSync, lstatSync, openSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { ByteSplice, Located, OpenFile, Stamp } from '../shape.ts';
import { copyAttributes } from './attributes.ts';
import { orderSplices, writeAll, writeSpliced } from './copy.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import type { Source } from './source.ts';
import { sameStamp, stampOf } from '../stamp.ts';
import type { WriteOptions } from './writing.ts';

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
}

/** A new file with its content. Nobody but its owner may read it until it has the rights of the file that it is like. */
export interface Draft extends Prepared {
  readonly fd: number;
  readonly path: string;
  /** The open file that it is like. */
  readonly like: number;
  readonly mode: number;
  /** Whether it has the owner and the group of that file. */
  readonly keepsOwner: boolean;
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** The target as it stands, which must be as it was read. */
export function expectUnchanged(folder: PinnedFolder, file: Located, expected: Stamp): BigIntStats {
  const stats = lstatSync(folder.at(basename(file.path)), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !sameStamp(stampOf(stats), expected)) throw fileChanged(file.path);
  return stats;
}

/** Writes the source with the splices put in as a new file of ours, which needs nobody's mode and owner. */
export function prepareStaged(
  folder: PinnedFolder,
  { open: source }: Source,
  splices: readonly ByteSplice[],
  options: PrepareOptions,
): Prepared {
  const ordered = orderSplices(splices, source.size);
  return prepare(folder, 0o600, options, (fd) => writeOrdered(fd, source, ordered));
}

/** Begins the new file that is to take the place of the source; on failure it is gone. Its caller finishes or discards it. */
export function draftSpliced(
  folder: PinnedFolder,
  { open: source, fd: like, stats }: Source,
  splices: readonly ByteSplice[],
  temp: string,
): Draft {
  const ordered = orderSplices(splices, source.size);
  const path = folder.at(temp);
  const fd = openSync(path, NEW_FILE, 0o600);
  try {
    const made = fstatSync(fd, { bigint: true });
    const keepsOwner = keepOwner(fd, made, stats);
    const size = writeOrdered(fd, source, ordered);
    return { temp, ino: made.ino, size, fd, path, like, mode: Number(stats.mode) & 0o7777, keepsOwner };
  } catch (error) {
    closeSync(fd);
    removeIfThere(path);
    throw error;
  }
}

/**
 * Gives drafts the access lists and extended attributes of the files that they are like; for each, whether it has the owner
 * and all of them now. One that has not must not take the name of its file. That takes a process, so writes that need
 * not be durable do it only where the mask of a list could become rights of the group.
 */
export function likenDrafts(
  drafts: readonly Draft[],
  { stateDir, durable = true }: Pick<WriteOptions, 'stateDir' | 'durable'>,
): readonly boolean[] {
  const owned = drafts.filter(({ keepsOwner }) => keepsOwner);
  const copied = owned.filter(({ mode }) => durable || groupHasMore(mode));
  const done = copyAttributes(
    copied.map(({ like, fd }) => ({ from: like, to: fd })),
    stateDir,
  );
  const unlike = new Set(copied.filter((_, at) => done[at] !== true));
  return drafts.map((draft) => draft.keepsOwner && !unlike.has(draft));
}

function groupHasMore(mode: number): boolean {
  return ((mode >> 3) & ~mode & 0o7) !== 0;
}

/** Gives a draft its mode, as the last of its rights, and closes it. */
export function finishDraft({ fd, path, temp, ino, size }: Draft, mode: number, flush: boolean): Prepared {
  try {
    fchmodSync(fd, mode);
    if (flush) fsyncSync(fd);
    return { temp, ino, size };
  } catch (error) {
    removeIfThere(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Removes a draft that is not wanted. */
export function discardDraft({ fd, path }: Draft): void {
  closeSync(fd);
  removeIfThere(path);
}

function writeOrdered(fd: number, source: OpenFile, ordered: readonly ByteSplice[]): number {
  const size = writeSpliced(fd, source, ordered);
  if (size === undefined) throw fileChanged(source.located.path);
  return size;
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

/** Whether a new file got the owner and the group of the one that it is like. */
function keepOwner(fd: number, made: BigIntStats, like: BigIntStats): boolean {
  return (made.gid === like.gid && made.uid === like.uid) || tryOwner(fd, like.uid, like.gid);
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
