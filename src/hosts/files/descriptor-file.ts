import { readSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { Located, OpenFile, Stamp } from './shape.ts';
import { readFault } from './faults.ts';
import { shut } from './cache/deferred-close.ts';
import { noteContent } from './write/racy-stamp.ts';

/** For a file that does not say its size. */
const FIRST_UNTOLD = 1 << 16;
/** More than a text can hold; some files of /proc never end. */
const MOST_UNTOLD = 512 << 20;
/** Clearing so little costs less than asking for memory that is not cleared. */
const SMALL = 1 << 12;

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
  readonly #release: (fd: number, lost: boolean) => void;
  #closed = false;
  #lost = false;

  /** `release` is called once, when the file is closed; `lost` says that another file has its name by then. */
  constructor(located: Located, fd: number, stamp: Stamp, release: (fd: number, lost: boolean) => void = shut) {
    this.located = located;
    this.#fd = fd;
    this.#release = release;
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
    const bytes = room(this.size);
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

  /** Notes that another file has its name now. */
  loseName(): void {
    this.#lost = true;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release(this.#fd, this.#lost);
  }
}

/** Memory for a content; a large one is not cleared first, since all of it is written or cut off. */
function room(size: number): Uint8Array {
  return size <= SMALL ? new Uint8Array(size) : new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
}

/** Notes that another file has the name of an open one now, so that closing it may be work. */
export function loseName(file: OpenFile): void {
  if (file instanceof DescriptorFile) file.loseName();
}
