/**
 * Writing into a file itself, for where no new file can take its name: its other names keep it, a mount stands on it,
 * or its folder is shut. The old bytes are kept in the state folder until the new ones stand. What the file grows by is
 * written first, behind its end, so that a full disk is met before anything is written over.
 */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { removeIfThere } from './lock-file.ts';
import { LEAF_ONLY } from './pin.ts';

const BUFFER_BYTES = 1 << 18;

export interface InPlace {
  /** The file to write into. */
  readonly target: string;
  /** The file with the finished new content. */
  readonly content: string;
  /** Where the old bytes are kept meanwhile; nothing may stand there. */
  readonly backup: string;
  readonly durable: boolean;
}

/** Writes the new content into the file; when that fails, the file has its old bytes again. */
export function overwrite({ target, content, backup, durable }: InPlace): void {
  const fd = openSync(target, constants.O_RDWR | LEAF_ONLY);
  try {
    const size = fstatSync(fd).size;
    save(fd, size, backup, durable);
    try {
      fillFrom(fd, size, content);
      if (durable) fsyncSync(fd);
    } catch (error) {
      fillFrom(fd, fstatSync(fd).size, backup);
      fsyncSync(fd);
      throw error;
    }
    removeIfThere(backup);
  } finally {
    closeSync(fd);
  }
}

/** Writes the new content into the file again; without a way back, because it is what has to stand. */
export function overwriteAgain(target: string, content: string): void {
  const fd = openSync(target, constants.O_RDWR | LEAF_ONLY);
  try {
    fillFrom(fd, fstatSync(fd).size, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function save(fd: number, size: number, backup: string, durable: boolean): void {
  removeIfThere(backup);
  const copy = openSync(backup, 'wx', 0o600);
  try {
    copyRange(fd, copy, 0, size);
    if (durable) fsyncSync(copy);
  } finally {
    closeSync(copy);
  }
}

function fillFrom(fd: number, size: number, content: string): void {
  const source = openSync(content, 'r');
  try {
    const wanted = fstatSync(source).size;
    try {
      copyRange(source, fd, Math.min(size, wanted), wanted);
    } catch (error) {
      ftruncateSync(fd, size);
      throw error;
    }
    copyRange(source, fd, 0, Math.min(size, wanted));
    ftruncateSync(fd, wanted);
  } finally {
    closeSync(source);
  }
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
