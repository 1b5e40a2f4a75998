/**
 * Writing into a file itself, for where no new file can take its name: its other names keep it, a mount stands on it,
 * or its folder is shut. The old bytes are kept in the state folder until the new ones stand. What the file grows by is
 * written first, behind its end, so that a full disk is met before anything is written over.
 */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { Stamp } from '../shape.ts';
import { openContent, type Content } from './content.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { LEAF_ONLY } from '../gate/pin.ts';
import { openToWrite } from './open-to-write.ts';
import { stampOf } from '../stamp.ts';

const BUFFER_BYTES = 1 << 18;

export interface InPlace {
  /** The file to write into. */
  readonly target: string;
  /** What it is called in messages. */
  readonly name: string;
  /** The file with the finished new content. */
  readonly content: Content;
  /** Where the old bytes are kept meanwhile; nothing may stand there. */
  readonly backup: string;
}

/** Writes the new content into the file, which must be as it was read; when that fails, it has its old bytes again. */
export function overwrite(
  { target, name, content, backup }: InPlace,
  isOld: (now: Stamp) => boolean,
  durable: boolean,
): void {
  // The descriptor is asked, not the name: a second name or other bytes would have changed its times.
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

/** Every outcome removes the backup, except that the old bytes could not be put back. */
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
 * Writes the new content into a file that a dead process may have been writing into; without a way back, because it is
 * what has to stand. False, with nothing written, when the file has anything but its old and its new bytes: then
 * somebody else has written to it since.
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

/** Whether each byte of a file is that of its new content or that of its old one, as when a filling was cut short. */
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
      const count = readUpTo(fd, now, at);
      const news = readUpTo(source, next, at);
      const olds = copy === undefined ? 0 : readUpTo(copy, before, at);
      for (let i = 0; i < count; i++)
        if (!(i < news && now[i] === next[i]) && !(i < olds && now[i] === before[i])) return false;
    }
    return true;
  } finally {
    if (copy !== undefined) closeSync(copy);
  }
}

/** The old bytes, if they are still kept: then the filling may have begun and not ended. */
function openBackup(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | LEAF_ONLY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readUpTo(fd: number, into: Uint8Array, at: number): number {
  let done = 0;
  while (done < into.length) {
    const count = readSync(fd, into, done, into.length - done, at + done);
    if (count === 0) break;
    done += count;
  }
  return done;
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
    if (count === 0) throw new RangeError(`a content ends at byte ${at} and not at ${end}`);
    for (let done = 0; done < count; ) done += writeSync(to, buffer, done, count - done, at + done);
    at += count;
  }
}
