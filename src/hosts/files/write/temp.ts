/**
 * Temporary files are in the folder of their target: `.<name>.<pid>-<pid namespace>.<unique>.pincer-tmp`. Those of a batch
 * end in `-batch`: a journal may need them after their process has died, so only recovery removes them. The pid namespace
 * is in the name because a pid from another container means nothing here.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  opendirSync,
  lstatSync,
  type BigIntStats,
  type Dir,
  type Stats,
} from 'node:fs';
import { errnoOf } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { isAlive, pidNamespace, uniqueName } from '../locks/owner.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sleep } from '../locks/sleep.ts';

/** The last part is as long as `uniqueName` makes it, so that a name chosen by a user hardly matches. */
const TEMP_NAME = /^\..+\.(\d+)(?:-([0-9a-z]+))?\.[0-9a-z]{16,}\.pincer-(tmp|batch)$/u;
const RESERVED_NAME = /^\..+\.pincer-(?:tmp|batch)$/iu;
/** A name has at most 255 bytes, and a UTF-16 unit at most three in UTF-8. */
const LONGEST_STEM = 60;
/** The pid of a process in another container cannot be checked. If it still wrote, the mtime would be more recent. */
const QUIET_MS = 10_000;
/** A folder can have millions of entries; a later sweep may reach the others. */
const MOST_ENTRIES = 10_000;

export function tempName(leaf: string, use: 'single' | 'batch'): string {
  return `.${leaf.slice(0, LONGEST_STEM)}.${process.pid}-${pidNamespace()}.${uniqueName()}.pincer-${use === 'single' ? 'tmp' : 'batch'}`;
}

/** Whether a name is reserved for temporary files of Pincer. */
export function isUnfinishedName(name: string): boolean {
  return RESERVED_NAME.test(name);
}

/** The name of the same content in the state folder, for when it cannot be in the folder of its target. */
export function stagedName(temp: string): string {
  return `${temp.replaceAll(/[^\w.-]/gu, '_')}.staged`;
}

const sweptAt = new Map<string, number>();
/** How long this process does not sweep a folder again. */
const SWEPT_MS = 30_000;

/** Removes the temporary files that dead writers left in this folder; `path` is the key for the last sweep. */
export function sweepTemps(folder: PinnedFolder, path: string): void {
  const last = sweptAt.get(path);
  if (last !== undefined && Date.now() - last < SWEPT_MS) return;
  if (sweptAt.size > 1000) sweptAt.clear();
  sweptAt.set(path, Date.now());
  for (const name of tempFilesIn(folder, 'single')) if (isOrphaned(folder, name)) removeIfThere(folder.at(name));
}

/**
 * Whether a file that was seen with two links had the second only because it is new: a writer links the final name first and
 * then unlinks the temporary one. If that writer has died, the temporary name is removed here, except one of a batch, which
 * recovery removes.
 */
export function hasTempLink(folder: PinnedFolder, name: string, seen: Pick<BigIntStats, 'ino' | 'nlink'>): boolean {
  if (seen.nlink !== 2n) return false;
  const look = (at: string): BigIntStats | undefined =>
    lstatSync(folder.at(at), { bigint: true, throwIfNoEntry: false });
  for (const temp of tempFilesIn(folder, 'any')) {
    if (look(temp)?.ino !== seen.ino) continue;
    if (isOfBatch(temp) && !isAlive({ pid: Number(TEMP_NAME.exec(temp)?.[1]), start: '' })) return false;
    if (isOrphaned(folder, temp)) removeIfThere(folder.at(temp));
    else sleep(1);
    return true;
  }
  return look(name)?.nlink !== 2n;
}

function isOfBatch(name: string): boolean {
  return name.endsWith('-batch');
}

function tempFilesIn(folder: PinnedFolder, use: 'single' | 'any'): readonly string[] {
  const names: string[] = [];
  let listing: Dir;
  try {
    listing = opendirSync(folder.at('.'), { bufferSize: 256 });
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return names; // a folder may be writable without being listable
    throw error;
  }
  try {
    for (let seen = 0; seen < MOST_ENTRIES; seen++) {
      const entry = listing.readSync();
      if (entry === null) break;
      if (TEMP_NAME.test(entry.name) && (use === 'any' || !isOfBatch(entry.name))) names.push(entry.name);
    }
  } finally {
    listing.closeSync();
  }
  return names;
}

/** Whether a dead process of this user left this temporary file. */
function isOrphaned(folder: PinnedFolder, name: string): boolean {
  const [, pid, namespace] = TEMP_NAME.exec(name) ?? [];
  if (pid === undefined || isAlive({ pid: Number(pid), start: '' })) return false;
  const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (stats?.isFile() !== true || !mayBeOwn(stats)) return false;
  return namespace === pidNamespace() || Date.now() - stats.mtimeMs > QUIET_MS;
}

/** Root changes the owner of a temporary file to that of its target; other users create only files of their own. */
function mayBeOwn({ uid, nlink }: Stats): boolean {
  const user = process.geteuid?.();
  return nlink <= 2 && (user === undefined || user === 0 || user === uid);
}

/** Flushes the entries of a folder, where the file system supports that. */
export function flushFolder(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    const code = errnoOf(error);
    // A folder that is writable but not readable, or a system that cannot open folders (Windows).
    if (code === 'EACCES' || code === 'EPERM' || code === 'EISDIR') return;
    throw error;
  }
  try {
    fsyncSync(fd);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'EPERM') throw error;
  } finally {
    closeSync(fd);
  }
}
