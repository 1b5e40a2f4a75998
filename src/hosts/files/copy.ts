import { close, constants, fdatasync, openSync, writeSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { ByteSplice } from '../host.ts';
import { hasFdPaths } from './pin.ts';

/** Fits the processor's cache: measured twice as fast as 1 MB. */
const BUFFER_BYTES = 1 << 18;
/** How much is written before the disk is set to work on it. */
const EARLY_FLUSH_BYTES = 1 << 23;

/** Up to here a source is read with one call. */
const SMALL_BYTES = 1 << 16;

/** What is copied from: an open file, or any other run of bytes. */
export interface CopySource {
  readonly size: number;
  read(offset: number, into: Uint8Array): number;
}

/** The splices in order of their place; wrong ones are an error in the caller. */
export function orderSplices(splices: readonly ByteSplice[], size: number): readonly ByteSplice[] {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  let at = 0;
  for (const { start, end } of ordered) {
    if (start < at || end < start || end > size) {
      throw new Fault(
        'INTERNAL_SPLICE',
        `the splice ${start}..${end} overlaps another or leaves a file of ${size} bytes`,
      );
    }
    at = end;
  }
  return ordered;
}

/**
 * Writes the source with the ordered splices put in, through one buffer, and gives the number of bytes written.
 * Gives undefined when the source has become shorter than it says.
 */
export function writeSpliced(out: number, source: CopySource, ordered: readonly ByteSplice[]): number | undefined {
  if (source.size <= SMALL_BYTES) return writeSmall(out, source, ordered);
  const growth = ordered.reduce((sum, { start, end, bytes }) => sum + bytes.length - (end - start), 0);
  const buffer = new Uint8Array(Math.max(1, Math.min(BUFFER_BYTES, source.size + growth)));
  let filled = 0;
  let written = 0;
  let flushed = 0;

  const flush = (): void => {
    writeAll(out, buffer.subarray(0, filled));
    written += filled;
    filled = 0;
    if (written - flushed < EARLY_FLUSH_BYTES) return;
    flushed = written;
    flushEarly(out);
  };
  const copy = (start: number, end: number): boolean => {
    for (let at = start; at < end; ) {
      if (filled === buffer.length) flush();
      const room = buffer.subarray(filled, filled + Math.min(buffer.length - filled, end - at));
      if (source.read(at, room) < room.length) return false;
      filled += room.length;
      at += room.length;
    }
    return true;
  };
  const put = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; ) {
      if (filled === buffer.length) flush();
      const part = bytes.subarray(at, at + buffer.length - filled);
      buffer.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  };

  let at = 0;
  for (const splice of ordered) {
    if (!copy(at, splice.start)) return undefined;
    put(splice.bytes);
    at = splice.end;
  }
  if (!copy(at, source.size)) return undefined;
  flush();
  return written;
}

function writeSmall(out: number, source: CopySource, ordered: readonly ByteSplice[]): number | undefined {
  const [whole] = ordered;
  if (ordered.length === 1 && whole!.start === 0 && whole!.end === source.size) {
    writeAll(out, whole!.bytes);
    return whole!.bytes.length;
  }
  const old = new Uint8Array(source.size);
  if (source.read(0, old) < old.length) return undefined;
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, bytes } of ordered) {
    parts.push(old.subarray(at, start), bytes);
    at = end;
  }
  parts.push(old.subarray(at));
  const bytes = Buffer.concat(parts);
  writeAll(out, bytes);
  return bytes.length;
}

/**
 * Sets the disk to work in a thread beside this one, so that the caller's fsync finds little left to wait for. Only that
 * fsync counts, and it has to hear of every failure: the system tells each opening of a file once, so this is another one.
 */
function flushEarly(out: number): void {
  if (!hasFdPaths()) return;
  const own = openSync(`/proc/self/fd/${out}`, constants.O_WRONLY);
  fdatasync(own, () => close(own));
}

/** Writes every byte, however few the system takes at a time. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
}
