/**
 * Writes into an existing file, where rename cannot replace it: it has hard links, is a mount point, or its folder is not
 * writable. A backup of the old bytes stays in the state folder until the new ones are complete. Bytes beyond the old
 * end are written first, so that a full disk fails before any old byte is overwritten.
 */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { Stamp } from '../shape.ts';
import { openContent, type StagedContent } from './staged-content.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { LEAF_ONLY } from '../gate/pin.ts';
import { readFully } from '../read-fully.ts';
import { openToWrite } from './open-to-write.ts';
import { stampOf } from '../stamp.ts';

const BUFFER_BYTES = 1 << 18;

export interface InPlace {
  readonly target: string;
  /** The path for messages. */
  readonly name: string;
  readonly content: StagedContent;
  /** Where the old bytes are kept; no file may exist there. */
  readonly backup: string;
}

/** Overwrites a file that must be unchanged since it was read. On failure it restores the old bytes. */
export function overwrite(
  { target, name, content, backup }: InPlace,
  isOld: (now: Stamp) => boolean,
  durable: boolean,
): void {
  // `isOld` is asked about the descriptor, not the name: a new hard link or other bytes would have changed its ctime.
  const { fd, stats } = openToWrite(target, name, isOld);
  try {
    const source = openContent(content, name);
    try {
      fillSafely(fd, Number(stats.size), source, content.size, backup, durable);
    } finally {
      closeSync(source);
    }
  } finally {
    closeSync(fd);
  }
}

/** Removes the backup in every case, unless restoring the old bytes failed. */
function fillSafely(fd: number, size: number, source: number, wanted: number, backup: string, durable: boolean): void {
  removeIfThere(backup);
  const copy = openSync(backup, 'wx+', 0o600);
  try {
    copyRange(fd, copy, 0, size);
    if (durable) fsyncSync(copy);
    try {
      fill(fd, size, source, wanted);
      if (durable) fsyncSync(fd);
    } catch (error) {
      fill(fd, fstatSync(fd).size, copy, size);
      fsyncSync(fd);
      removeIfThere(backup);
      throw error;
    }
    removeIfThere(backup);
  } finally {
    closeSync(copy);
  }
}

/**
 * Completes what a dead process may have begun, without restoring on failure: the new content is already committed.
 * Returns false and writes nothing if the file has any byte that is neither old nor new, because then another program
 * has written to it.
 */
export function overwriteAgain({ target, name, content, backup }: InPlace, isOld: (now: Stamp) => boolean): boolean {
  const fd = openTarget(target, name);
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile()) throw fileChanged(name);
    const source = openContent(content, name);
    try {
      const size = Number(stats.size);
      if (!isOld(stampOf(stats)) && !isMixture(fd, size, source, content.size, backup)) return false;
      fill(fd, size, source, content.size);
      fsyncSync(fd);
      return true;
    } finally {
      closeSync(source);
    }
  } finally {
    closeSync(fd);
  }
}

function openTarget(target: string, name: string): number {
  try {
    return openSync(target, constants.O_RDWR | LEAF_ONLY);
  } catch (error) {
    const code = errnoOf(error);
    throw code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR' ? fileChanged(name) : error;
  }
}

/** Whether each byte of a file equals the new or the old content at that offset, as after an interrupted `fill`. */
function isMixture(fd: number, size: number, source: number, wanted: number, backup: string): boolean {
  const copy = openBackup(backup);
  try {
    const had = copy === undefined ? wanted : fstatSync(copy).size;
    if (size < Math.min(wanted, had) || size > Math.max(wanted, had)) return false;
    const [now, next, before] = [0, 1, 2].map(() => new Uint8Array(BUFFER_BYTES)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    for (let at = 0; at < size; at += BUFFER_BYTES) {
      const count = readFully(fd, now, at);
      const news = readFully(source, next, at);
      const olds = copy === undefined ? 0 : readFully(copy, before, at);
      for (let i = 0; i < count; i++)
        if (!(i < news && now[i] === next[i]) && !(i < olds && now[i] === before[i])) return false;
    }
    return true;
  } finally {
    if (copy !== undefined) closeSync(copy);
  }
}

/** The backup. If it still exists, `fill` may have been interrupted. */
function openBackup(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | LEAF_ONLY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function fill(fd: number, size: number, source: number, wanted: number): void {
  try {
    copyRange(source, fd, Math.min(size, wanted), wanted);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
  copyRange(source, fd, 0, Math.min(size, wanted));
  ftruncateSync(fd, wanted);
}

function copyRange(from: number, to: number, start: number, end: number): void {
  const buffer = new Uint8Array(Math.max(1, Math.min(BUFFER_BYTES, end - start)));
  for (let at = start; at < end; ) {
    const count = readSync(from, buffer, 0, Math.min(buffer.length, end - at), at);
    if (count === 0) throw new RangeError(`the content ends at byte ${at}, expected ${end}`);
    for (let done = 0; done < count; ) done += writeSync(to, buffer, done, count - done, at + done);
    at += count;
  }
}
