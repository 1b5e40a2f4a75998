/**
 * Unfinished files stand beside their target: `.<name>.<pid>.<word>.pincer-tmp`. Those of a batch end differently,
 * because a journal may still need them after their process has died; only recovery may remove those.
 */
import { closeSync, fsyncSync, openSync, opendirSync, statSync, type Dir } from 'node:fs';
import { errnoOf } from './faults.ts';
import { removeIfThere } from './lock-file.ts';
import { freshName, isAlive } from './owner.ts';
import type { PinnedFolder } from './pin.ts';

const LONE = /^\..+\.(\d+)\.[0-9a-z]+\.pincer-tmp$/u;
/** Names have at most 255 bytes, and one unit of text has at most three. */
const LONGEST_STEM = 60;
/** A process in another container has a number that means nothing here; its file is young as long as it writes. */
const QUIET_MS = 10_000;
/** Folders can hold millions of entries; what a sweep does not reach, a later one may. */
const MOST_ENTRIES = 10_000;

export function tempName(leaf: string, use: 'lone' | 'batch'): string {
  return `.${leaf.slice(0, LONGEST_STEM)}.${process.pid}.${freshName()}.pincer-${use === 'lone' ? 'tmp' : 'batch'}`;
}

/** Removes what writers that died in the middle left in this folder. */
export function sweepTemps(folder: PinnedFolder): void {
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
      const pid = LONE.exec(entry.name)?.[1];
      if (pid === undefined || !entry.isFile() || isAlive({ pid: Number(pid), start: '' })) continue;
      const path = folder.at(entry.name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats !== undefined && Date.now() - stats.mtimeMs > QUIET_MS) removeIfThere(path);
    }
  } finally {
    listing.closeSync();
  }
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
