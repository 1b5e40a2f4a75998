import { closeSync, constants, fstatSync, readSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { Located, OpenFile, Stamp } from '../host.ts';
import { readFault } from './faults.ts';
import { locateAndOpen } from './locate.ts';
import { openByDescriptor, openRegular, pinParent } from './pin.ts';
import { stampOf } from './stamp.ts';

/** For a file that does not say its size. */
const FIRST_UNTOLD = 1 << 16;
/** More than a text can hold; some files of /proc never end. */
const MOST_UNTOLD = 512 << 20;

/** Opens a located file for reading; the caller closes it. */
export function openFile(located: Located): OpenFile {
  const folder = pinParent(located);
  try {
    return new DescriptorFile(located, openRegular(folder, located, constants.O_RDONLY));
  } catch (error) {
    throw readFault(error, located.path);
  } finally {
    folder.close();
  }
}

/** Locates the file of a slot and opens it for reading in one walk; the caller closes it. */
export function openSlot(cwd: string, slot: string): OpenFile {
  return locateAndOpen(cwd, slot, { byName: openNamed, byPath: openFile });
}

function openNamed(name: number, located: Located): OpenFile {
  try {
    return new DescriptorFile(located, openByDescriptor(name, constants.O_RDONLY));
  } catch (error) {
    throw readFault(error, located.path);
  }
}

function endless(path: string): Fault {
  return new Fault('OC_PATH_INPUT_TOO_LARGE', `${path} goes on after ${MOST_UNTOLD} bytes, more than can be held`, {
    hint: 'copy the part that matters into a file first',
    details: { path },
  });
}

class DescriptorFile implements OpenFile {
  readonly located: Located;
  readonly size: number;
  readonly stamp: Stamp;
  readonly #fd: number;
  #closed = false;

  constructor(located: Located, fd: number) {
    this.located = located;
    this.#fd = fd;
    try {
      this.stamp = stampOf(fstatSync(fd, { bigint: true }));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.size = Number(this.stamp.size);
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
    let bytes = new Uint8Array(this.size);
    let filled = this.read(0, bytes);
    // A file that says its size is read to that size, as its stamp says; one that says none is read to its end.
    if (this.size > 0) return bytes.subarray(0, filled);
    bytes = new Uint8Array(FIRST_UNTOLD);
    for (;;) {
      filled += this.read(filled, bytes.subarray(filled));
      if (filled < bytes.length) return bytes.subarray(0, filled);
      if (filled > MOST_UNTOLD) throw endless(this.located.path);
      const wider = new Uint8Array(Math.max(bytes.length * 2, FIRST_UNTOLD));
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
