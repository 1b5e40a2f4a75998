import { Fault } from '../../base/fault.ts';
import type { Located, OpenFile, Stamp } from './shape.ts';
import { readFault } from './faults.ts';
import { closeDeferred } from './cache/deferred-close.ts';
import { readFully } from './read-fully.ts';
import { noteContent } from './write/racy-stamp.ts';

/** The first buffer for a file whose size is reported as 0. */
const FIRST_BUFFER_BYTES = 1 << 16;
/** Longer than the longest string; some files of /proc never end. */
const MOST_UNSIZED_BYTES = 512 << 20;
/** Zeroing a buffer of this size costs less than allocating one that is not zeroed. */
const SMALL = 1 << 12;

function endless(path: string): Fault {
  return new Fault(
    'OC_PATH_INPUT_TOO_LARGE',
    `${path} has more than ${MOST_UNSIZED_BYTES} bytes; the limit is ${MOST_UNSIZED_BYTES}`,
    {
      hint: 'copy the part that you need into a file first',
      details: { path },
    },
  );
}

export class DescriptorFile implements OpenFile {
  readonly located: Located;
  readonly size: number;
  readonly stamp: Stamp;
  readonly #fd: number;
  readonly #release: (fd: number, unlinked: boolean) => void;
  #closed = false;
  #unlinked = false;

  /** `release` is called once, on close; `unlinked` means that another file has the name by then. */
  constructor(
    located: Located,
    fd: number,
    stamp: Stamp,
    release: (fd: number, unlinked: boolean) => void = closeDeferred,
  ) {
    this.located = located;
    this.#fd = fd;
    this.#release = release;
    this.stamp = stamp;
    this.size = Number(stamp.size);
  }

  read(offset: number, into: Uint8Array): number {
    try {
      return readFully(this.#fd, into, offset);
    } catch (error) {
      throw readFault(error, this.located.path);
    }
  }

  /** Reads as many bytes as the file had when it was opened. Files of /proc have size 0 and are read to their end. */
  readAll(): Uint8Array {
    if (this.size === 0) return this.#readToEnd();
    const bytes = bufferFor(this.size);
    const filled = this.read(0, bytes);
    const content = filled === bytes.length ? bytes : bytes.subarray(0, filled);
    noteContent(this.stamp, content);
    return content;
  }

  #readToEnd(): Uint8Array {
    let bytes = new Uint8Array(FIRST_BUFFER_BYTES);
    for (let filled = 0; ; ) {
      filled += this.read(filled, bytes.subarray(filled));
      if (filled < bytes.length) return bytes.subarray(0, filled);
      if (filled > MOST_UNSIZED_BYTES) throw endless(this.located.path);
      const wider = new Uint8Array(bytes.length * 2);
      wider.set(bytes);
      bytes = wider;
    }
  }

  markReplaced(): void {
    this.#unlinked = true;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release(this.#fd, this.#unlinked);
  }
}

/** A large buffer is not zeroed: it is filled completely, or the rest is cut off. */
function bufferFor(size: number): Uint8Array {
  return size <= SMALL ? new Uint8Array(size) : new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
}

/** Notes that another file was renamed over this one, so that closing it frees its blocks, which may take time. */
export function markReplaced(file: OpenFile): void {
  if (file instanceof DescriptorFile) file.markReplaced();
}
