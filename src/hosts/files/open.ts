import { closeSync, constants, fstatSync, readSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { Located, OpenFile, Stamp } from '../host.ts';
import { readFault } from './faults.ts';
import { openRegular, pinParent } from './parent.ts';
import { hardLinkedRead } from './refusals.ts';
import { stampOf } from './stamp.ts';
import { noteContent } from './young.ts';

/** For a file that does not say its size. */
const FIRST_UNTOLD = 1 << 16;
/** More than a text can hold; some files of /proc never end. */
const MOST_UNTOLD = 512 << 20;

/** Opens a located file for reading; the caller closes it. One of several names may be refused, since its place says little. */
export function openFile(located: Located, hardLinks: 'read' | 'refuse' = 'read'): OpenFile {
  const folder = pinParent(located);
  try {
    return openDescriptor(located, openRegular(folder, located, constants.O_RDONLY), hardLinks);
  } catch (error) {
    throw readFault(error, located.path);
  } finally {
    folder.close();
  }
}

/** An open file from a descriptor, which it owns from now on. */
export function openDescriptor(located: Located, fd: number, hardLinks: 'read' | 'refuse' = 'read'): OpenFile {
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (hardLinks === 'refuse' && stats.nlink > 1n)
      throw hardLinkedRead(located.path, located.path, Number(stats.nlink));
    return new DescriptorFile(located, fd, stampOf(stats));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function endless(path: string): Fault {
  return new Fault('OC_PATH_INPUT_TOO_LARGE', `${path} goes on after ${MOST_UNTOLD} bytes, more than can be held`, {
    hint: 'copy the part that matters into a file first',
    details: { path },
  });
}

/** A regular file held by a descriptor. */
export class DescriptorFile implements OpenFile {
  readonly located: Located;
  readonly size: number;
  readonly stamp: Stamp;
  readonly #fd: number;
  #closed = false;

  constructor(located: Located, fd: number, stamp: Stamp) {
    this.located = located;
    this.#fd = fd;
    this.stamp = stamp;
    this.size = Number(stamp.size);
  }

  read(offset: number, into: Uint8Array): number {
    let done = 0;
    try {
      while (done < into.length) {
        const count = readSync(this.#fd, into, done, into.length - done, offset + done);
        if (count === 0) break;
        done += count;
      }
    } catch (error) {
      throw readFault(error, this.located.path);
    }
    return done;
  }

  /** Reads the file as it was when it was opened; the files of /proc say no size and are read to their end. */
  readAll(): Uint8Array {
    // A file that says its size is read to that size, as its stamp says; one that says none is read to its end.
    if (this.size === 0) return this.#readToEnd();
    // Memory that is not cleared first, since all of it is written or cut off.
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(this.size).buffer);
    const filled = this.read(0, bytes);
    const content = filled === bytes.length ? bytes : bytes.subarray(0, filled);
    noteContent(this.stamp, content);
    return content;
  }

  #readToEnd(): Uint8Array {
    let bytes = new Uint8Array(FIRST_UNTOLD);
    for (let filled = 0; ; ) {
      filled += this.read(filled, bytes.subarray(filled));
      if (filled < bytes.length) return bytes.subarray(0, filled);
      if (filled > MOST_UNTOLD) throw endless(this.located.path);
      const wider = new Uint8Array(bytes.length * 2);
      wider.set(bytes);
      bytes = wider;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
  }
}
