import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';

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

  /** Bytes that may change once this returns. */
  addBytes(bytes: Uint8Array): void {
    this.#encode();
    const buffer = this.#room(bytes.length);
    buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
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
    this.#forgetFolder();
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
        this.#fd = this.#open();
      }
      this.#spill(this.#fd);
      if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(bytes);
    }
    return this.#buffer;
  }

  #open(): number {
    try {
      this.#folder = mkdtempSync(join(tmpdir(), 'pincer-find-'));
      const fd = openSync(join(this.#folder, 'rows'), 'wx+', 0o600);
      // An open file needs no name where the system allows that, and then nothing stays behind when a signal ends us.
      if (process.platform !== 'win32') this.#forgetFolder();
      return fd;
    } catch (error) {
      throw spoolFault(error as Error);
    }
  }

  #forgetFolder(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #spill(fd: number): void {
    const bytes = this.#buffer?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at);
    } catch (error) {
      throw spoolFault(error as Error);
    }
    this.#filled = 0;
  }
}

function spoolFault(cause: Error): Fault {
  return new Fault('FS_OUTPUT_FAILED', `the matches are too many to hold, and ${tmpdir()} cannot take them`, {
    hint: `make room there, or name another folder in TMPDIR (${cause.message})`,
    cause,
  });
}
