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
import type { WriteSource } from './write-source.ts';
import { sameStamp, stampOf } from '../stamp.ts';
import type { WriteOptions } from './write-options.ts';

/** A finished file in the folder of its target. */
export interface Prepared {
  readonly temp: string;
  readonly ino: bigint;
  readonly size: number;
}

export interface PrepareOptions {
  readonly temp: string;
  /** Whether to fsync here; a large batch flushes all of its files together. */
  readonly flush: boolean;
}

/** A new file with its content, readable only for its owner until it has the permissions of the original file. */
export interface Draft extends Prepared {
  readonly fd: number;
  readonly path: string;
  /** Descriptor of the file that it replaces. */
  readonly original: number;
  readonly mode: number;
  /** Whether it has the owner and group of the original. */
  readonly keepsOwner: boolean;
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Throws unless the target is unchanged since it was read. */
export function expectUnchanged(folder: PinnedFolder, file: Located, expected: Stamp): BigIntStats {
  const stats = lstatSync(folder.at(basename(file.path)), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !sameStamp(stampOf(stats), expected)) throw fileChanged(file.path);
  return stats;
}

/** Writes the source with the splices applied to a private file, with neither the mode nor the owner of the source. */
export function prepareStaged(
  folder: PinnedFolder,
  { open: source }: WriteSource,
  splices: readonly ByteSplice[],
  options: PrepareOptions,
): Prepared {
  const ordered = orderSplices(splices, source.size);
  return prepare(folder, 0o600, options, (fd) => writeOrdered(fd, source, ordered));
}

/** Creates the file that will replace the source, and removes it on failure. The caller finishes or discards the draft. */
export function draftSpliced(
  folder: PinnedFolder,
  { open: source, fd: original, stats }: WriteSource,
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
    return { temp, ino: made.ino, size, fd, path, original, mode: Number(stats.mode) & 0o7777, keepsOwner };
  } catch (error) {
    closeSync(fd);
    removeIfThere(path);
    throw error;
  }
}

/**
 * Copies ACLs and extended attributes from the originals to the drafts. Returns for each draft whether it has the owner and
 * all attributes now; if not, it must not replace its file. Copying takes a process, so writes that are not durable do it
 * only where the mask of an ACL could become permissions of the group.
 */
export function copyAttributesToDrafts(
  drafts: readonly Draft[],
  { stateDir, durable = true }: Pick<WriteOptions, 'stateDir' | 'durable'>,
): readonly boolean[] {
  const owned = drafts.filter(({ keepsOwner }) => keepsOwner);
  const copied = owned.filter(({ mode }) => durable || groupHasMore(mode));
  const done = copyAttributes(
    copied.map(({ original, fd }) => ({ from: original, to: fd })),
    stateDir,
  );
  const incomplete = new Set(copied.filter((_, at) => done[at] !== true));
  return drafts.map((draft) => draft.keepsOwner && !incomplete.has(draft));
}

function groupHasMore(mode: number): boolean {
  return ((mode >> 3) & ~mode & 0o7) !== 0;
}

/** Sets the mode of a draft, as its last permission, and closes it. */
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

export function discardDraft({ fd, path }: Draft): void {
  closeSync(fd);
  removeIfThere(path);
}

function writeOrdered(fd: number, source: OpenFile, ordered: readonly ByteSplice[]): number {
  const size = writeSpliced(fd, source, ordered);
  if (size === undefined) throw fileChanged(source.located.path);
  return size;
}

/** The mode of a new file, without setuid and setgid: the file belongs to the user who creates it. */
export function modeOfNew(mode: number | undefined): number {
  return mode === undefined ? 0o666 & ~process.umask() : mode & 0o1777;
}

/** Writes a new file with these bytes. Without a mode it gets the usual one (0666 minus umask) when it is created. */
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

/** Sets the owner and group of the original; false if that is not permitted. */
function keepOwner(fd: number, made: BigIntStats, original: BigIntStats): boolean {
  return (made.gid === original.gid && made.uid === original.uid) || tryOwner(fd, original.uid, original.gid);
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

export function hardLinked(file: Located, names: bigint): Fault {
  return new Fault('FS_HARD_LINKED', `${file.path} has ${names} hard links; replacing it would separate them`, {
    hint: 'make it a file with one name (cp it and mv the copy over it), or use an editor that writes in place',
    details: { path: file.path, names: Number(names) },
  });
}
