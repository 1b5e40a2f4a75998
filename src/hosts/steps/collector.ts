/** Output of programs for a file: kept until the step ends, because programs never get a descriptor of the workspace. */
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** The longest output for one file. */
export const MOST_COLLECTED = 64 << 20;
/** Longer output is kept in a file of the state folder. */
const MOST_IN_MEMORY = 1 << 20;

export class Collector {
  readonly #stateDir: string;
  readonly #most: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #spilled: number | undefined;
  #isTooLong = false;

  constructor(stateDir: string, most = MOST_COLLECTED) {
    this.#stateDir = stateDir;
    this.#most = most;
  }

  /** Its output was longer than a file may be; its content is gone. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** Copies the bytes. False when there are too many. */
  push(bytes: Uint8Array): boolean {
    if (this.#isTooLong) return false;
    this.#size += bytes.length;
    if (this.#size > this.#most) {
      this.#isTooLong = true;
      this.discard();
      return false;
    }
    if (this.#spilled === undefined && this.#size > MOST_IN_MEMORY) this.#spill();
    if (this.#spilled === undefined) this.#parts.push(Uint8Array.from(bytes));
    else writeAll(this.#spilled, bytes);
    return true;
  }

  content(): Uint8Array {
    if (this.#spilled === undefined) return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const content = new Uint8Array(this.#size);
    for (let at = 0; at < content.length; ) {
      const length = readSync(this.#spilled, content, at, content.length - at, at);
      if (length === 0) throw new Error('collected output was shortened');
      at += length;
    }
    return content;
  }

  discard(): void {
    this.#parts = [];
    if (this.#spilled !== undefined) closeSync(this.#spilled);
    this.#spilled = undefined;
  }

  /** The file has no name, so a process that dies leaves nothing behind. */
  #spill(): void {
    const folder = join(this.#stateDir, 'collected');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, randomBytes(12).toString('hex'));
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    this.#spilled = file;
    for (const part of this.#parts) writeAll(file, part);
    this.#parts = [];
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
