/**
 * Unfinished files stand beside their target: `.<name>.<pid>-<space>.<word>.pincer-tmp`. Those of a batch end differently,
 * because a journal may still need them after their process has died; only recovery may remove those. The space is
 * the one that gives out the numbers of processes: a number from another container says nothing here.
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
import { freshName, isAlive, processSpace } from '../locks/owner.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sleep } from '../locks/sleep.ts';

/** The word at the end is as long as `freshName` makes it: a name that somebody chose hardly looks like that. */
const OURS = /^\..+\.(\d+)(?:-([0-9a-z]+))?\.[0-9a-z]{16,}\.pincer-(tmp|batch)$/u;
const UNFINISHED = /^\..+\.pincer-(?:tmp|batch)$/iu;
/** Names have at most 255 bytes, and one unit of text has at most three. */
const LONGEST_STEM = 60;
/** A process in another container has a number that means nothing here; its file is young as long as it writes. */
const QUIET_MS = 10_000;
/** Folders can hold millions of entries; what a sweep does not reach, a later one may. */
const MOST_ENTRIES = 10_000;

export function tempName(leaf: string, use: 'lone' | 'batch'): string {
  return `.${leaf.slice(0, LONGEST_STEM)}.${process.pid}-${processSpace()}.${freshName()}.pincer-${use === 'lone' ? 'tmp' : 'batch'}`;
}

/** Whether a name is one that only unfinished files of ours have. */
export function isUnfinishedName(name: string): boolean {
  return UNFINISHED.test(name);
}

/** Where the same content waits in the state folder when it cannot stand beside its target. */
export function stagedName(temp: string): string {
  return `${temp.replaceAll(/[^\w.-]/gu, '_')}.staged`;
}

const sweptAt = new Map<string, number>();
/** How long a folder counts as swept for this process. */
const SWEPT_MS = 30_000;

/** Removes what writers that died in the middle left in this folder; `path` is its name among those swept before. */
export function sweepTemps(folder: PinnedFolder, path: string): void {
  const last = sweptAt.get(path);
  if (last !== undefined && Date.now() - last < SWEPT_MS) return;
  if (sweptAt.size > 1000) sweptAt.clear();
  sweptAt.set(path, Date.now());
  for (const name of unfinishedIn(folder, 'lone')) if (isDead(folder, name)) removeIfThere(folder.at(name));
}

/**
 * Whether a file that was seen with two names had the second only because it is new: its unfinished name goes last, and
 * may be gone by now. When its writer has died before that, the name goes now; that of a batch is left to recovery.
 */
export function isJustNamed(folder: PinnedFolder, name: string, seen: Pick<BigIntStats, 'ino' | 'nlink'>): boolean {
  if (seen.nlink !== 2n) return false;
  const look = (at: string): BigIntStats | undefined =>
    lstatSync(folder.at(at), { bigint: true, throwIfNoEntry: false });
  for (const unfinished of unfinishedIn(folder, 'any')) {
    if (look(unfinished)?.ino !== seen.ino) continue;
    if (isOfBatch(unfinished) && !isAlive({ pid: Number(OURS.exec(unfinished)?.[1]), start: '' })) return false;
    if (isDead(folder, unfinished)) removeIfThere(folder.at(unfinished));
    else sleep(1);
    return true;
  }
  return look(name)?.nlink !== 2n;
}

function isOfBatch(name: string): boolean {
  return name.endsWith('-batch');
}

function unfinishedIn(folder: PinnedFolder, use: 'lone' | 'any'): readonly string[] {
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
      if (OURS.test(entry.name) && (use === 'any' || !isOfBatch(entry.name))) names.push(entry.name);
    }
  } finally {
    listing.closeSync();
  }
  return names;
}

/** Whether an unfinished file was left by a process that died; what another user put there is that user's. */
function isDead(folder: PinnedFolder, name: string): boolean {
  const [, pid, space] = OURS.exec(name) ?? [];
  if (pid === undefined || isAlive({ pid: Number(pid), start: '' })) return false;
  const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (stats?.isFile() !== true || !mayBeOurs(stats)) return false;
  return space === processSpace() || Date.now() - stats.mtimeMs > QUIET_MS;
}

/** Root gives an unfinished file to the owner of its target; anybody else makes only files of their own. */
function mayBeOurs({ uid, nlink }: Stats): boolean {
  const user = process.geteuid?.();
  return nlink <= 2 && (user === undefined || user === 0 || user === uid);
}

/** Makes the names of a folder durable, where its file system can. */
export function flushFolder(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    const code = errnoOf(error);
    // A folder that may be written but not listed, or a system that opens no folders (Windows): nothing to flush by.
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
