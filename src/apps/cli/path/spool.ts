import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = 8 << 20;
const COPY = 1 << 20;

/** Text that is written before its heading is known (a find counts first): held in memory, and past some megabytes in a file. */
export class Spool {
  #parts: string[] = [];
  #size = 0;
  #fd: number | undefined;
  #folder: string | undefined;

  add(text: string): void {
    this.#parts.push(text);
    this.#size += text.length;
    if (this.#size > IN_MEMORY) this.#spill();
  }

  /** Hands over everything in order and forgets it. */
  drain(take: (text: string | Uint8Array) => void): void {
    try {
      if (this.#fd === undefined) {
        take(this.#parts.join(''));
        return;
      }
      this.#spill();
      const buffer = Buffer.allocUnsafe(COPY);
      for (let at = 0; ; ) {
        const count = readSync(this.#fd, buffer, 0, COPY, at);
        if (count === 0) break;
        take(buffer.subarray(0, count));
        at += count;
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#parts = [];
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #spill(): void {
    if (this.#fd === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), 'pincer-find-'));
      this.#fd = openSync(join(this.#folder, 'rows'), 'wx+', 0o600);
    }
    const bytes = Buffer.from(this.#parts.join(''));
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at);
    this.#parts = [];
    this.#size = 0;
  }
}
