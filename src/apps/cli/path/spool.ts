import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Text is gathered up to so many units before it is encoded: short strings die young and cost nothing to collect. */
const PIECE = 1 << 15;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const WIDEST = 3;
const BUFFER = 2 << 20;

/** Text that is written before its heading is known (a find counts first): held in memory, and past some megabytes in a file. */
export class Spool {
  #text = '';
  #buffer: Buffer | undefined;
  #filled = 0;
  #fd: number | undefined;
  #folder: string | undefined;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE) this.#encode();
  }

  /** Hands over everything in order and forgets it. */
  drain(take: (bytes: Uint8Array | string) => void): void {
    try {
      if (this.#fd !== undefined) {
        this.#encode();
        this.#spill(this.#fd);
        const buffer = this.#room(BUFFER);
        for (let at = 0, count = 0; (count = readSync(this.#fd, buffer, 0, BUFFER, at)) > 0; at += count)
          take(buffer.subarray(0, count));
      } else {
        if (this.#buffer !== undefined) take(this.#buffer.subarray(0, this.#filled));
        take(this.#text);
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#text = '';
    this.#buffer = undefined;
    this.#filled = 0;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #encode(): void {
    const buffer = this.#room(this.#text.length * WIDEST);
    this.#filled += buffer.write(this.#text, this.#filled);
    this.#text = '';
  }

  /** The buffer with room for so many bytes more; what is in it goes to the file when they do not fit. */
  #room(bytes: number): Buffer {
    this.#buffer ??= Buffer.allocUnsafe(BUFFER);
    if (this.#filled + bytes > this.#buffer.length) {
      if (this.#fd === undefined) {
        this.#folder = mkdtempSync(join(tmpdir(), 'pincer-find-'));
        this.#fd = openSync(join(this.#folder, 'rows'), 'wx+', 0o600);
      }
      this.#spill(this.#fd);
      if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(bytes);
    }
    return this.#buffer;
  }

  #spill(fd: number): void {
    const bytes = this.#buffer?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at);
    this.#filled = 0;
  }
}
