/**
 * Unfinished files stand beside their target: `.<name>.<pid>-<space>.<word>.pincer-tmp`. Those of a batch end differently,
 * because a journal may still need them after their process has died; only recovery may remove those. The space is
 * the one that gives out the numbers of processes: a number from another container says nothing here.
 */
import { closeSync, fsyncSync, openSync, opendirSync, statSync, type Dir } from 'node:fs';
import { errnoOf } from './faults.ts';
import { removeIfThere } from './lock-file.ts';
import { freshName, isAlive, processSpace } from './owner.ts';
import type { PinnedFolder } from './pin.ts';

const LONE = /^\..+\.(\d+)(?:-([0-9a-z]+))?\.[0-9a-z]+\.pincer-tmp$/u;
/** Names have at most 255 bytes, and one unit of text has at most three. */
const LONGEST_STEM = 60;
/** A process in another container has a number that means nothing here; its file is young as long as it writes. */
const QUIET_MS = 10_000;
/** Folders can hold millions of entries; what a sweep does not reach, a later one may. */
const MOST_ENTRIES = 10_000;

export function tempName(leaf: string, use: 'lone' | 'batch'): string {
  return `.${leaf.slice(0, LONGEST_STEM)}.${process.pid}-${processSpace()}.${freshName()}.pincer-${use === 'lone' ? 'tmp' : 'batch'}`;
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
  let listing: Dir;
  try {
    listing = opendirSync(folder.at('.'), { bufferSize: 256 });
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return; // a folder may be writable without being listable
    throw error;
  }
  try {
    for (let seen = 0; seen < MOST_ENTRIES; seen++) {
      const entry = listing.readSync();
      if (entry === null) return;
      if (!entry.name.endsWith('.pincer-tmp')) continue;
      const [, pid, space] = LONE.exec(entry.name) ?? [];
      if (pid === undefined || !entry.isFile() || isAlive({ pid: Number(pid), start: '' })) continue;
      const unfinished = folder.at(entry.name);
      if (space === processSpace() || isQuiet(unfinished)) removeIfThere(unfinished);
    }
  } finally {
    listing.closeSync();
  }
}

function isQuiet(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > QUIET_MS;
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
