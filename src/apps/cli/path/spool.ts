import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';

/** UTF-16 units to collect before encoding. Short-lived small strings are cheap to garbage-collect. */
const PIECE = 1 << 15;
/** UTF-8 bytes per UTF-16 unit, at most. */
const WIDEST = 3;
const BUFFER = 2 << 20;

/** Buffers output whose heading is not known yet (a find prints its count first): in memory, then in a temporary file. */
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

  /** Copies the bytes: the caller may reuse them. */
  addBytes(bytes: Uint8Array): void {
    this.#encode();
    const buffer = this.#room(bytes.length);
    buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  /** Passes everything on in order, and closes the spool. */
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
    this.#removeFolder();
  }

  #encode(): void {
    const buffer = this.#room(this.#text.length * WIDEST);
    this.#filled += buffer.write(this.#text, this.#filled);
    this.#text = '';
  }

  /** The buffer with room for more bytes. Writes it to the file if they do not fit. */
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
      // Unlink the open file where the system allows it, so that nothing remains if a signal ends this process.
      if (process.platform !== 'win32') this.#removeFolder();
      return fd;
    } catch (error) {
      throw spoolFault(error as Error);
    }
  }

  #removeFolder(): void {
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
  return new Fault('FS_OUTPUT_FAILED', `too many matches for memory, and ${tmpdir()} is not writable`, {
    hint: `free space there, or set TMPDIR to another folder (${cause.message})`,
    cause,
  });
}
