/**
 * Descriptors of files that were read a moment ago. Reading one again needs no walk: when its path leads to the very
 * inode with the very times that were seen at the end of a careful walk, then nobody has written or moved it since,
 * and its bytes are the bytes that were inside the boundary. Anything else is walked anew.
 */
import { closeSync, lstatSync } from 'node:fs';
import type { Stamp } from '../host.ts';
import { sameStamp, stampOf } from './stamp.ts';

const MOST_HELD = 64;
/** An open descriptor keeps a removed file's space and its mount busy; nobody shall wait long for that. */
const LONGEST_MS = 1000;
/** For larger files the walk is a small part of the reading. */
const LARGEST = 4 << 20;

interface HeldFile {
  readonly fd: number;
  readonly stamp: Stamp;
}

export class HeldFiles {
  readonly #files = new Map<string, HeldFile>();
  #clearing = false;

  /** The file at this path if it is held and unchanged; it is the caller's until it is kept again. */
  take(path: string): HeldFile | undefined {
    const held = this.#files.get(path);
    if (held === undefined) return undefined;
    this.#files.delete(path);
    const now = lookAt(path);
    if (now !== undefined && sameStamp(now, held.stamp)) return held;
    closeSync(held.fd);
    return undefined;
  }

  /** Takes over a descriptor whose stamp was not young when it was taken. */
  keep(path: string, held: HeldFile): void {
    if (held.stamp.size > LARGEST || this.#files.has(path)) {
      closeSync(held.fd);
      return;
    }
    this.#files.set(path, held);
    if (this.#files.size > MOST_HELD) this.#drop(1);
    if (this.#clearing) return;
    this.#clearing = true;
    setTimeout(() => {
      this.#clearing = false;
      this.#drop(this.#files.size);
    }, LONGEST_MS).unref();
  }

  #drop(count: number): void {
    for (const [path, { fd }] of this.#files) {
      if (count-- === 0) return;
      this.#files.delete(path);
      closeSync(fd);
    }
  }
}

function lookAt(path: string): Stamp | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : stampOf(stats);
  } catch {
    return undefined; // the careful walk says what is wrong
  }
}
