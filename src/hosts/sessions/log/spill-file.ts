import { closeSync, constants, openSync, readSync, write } from 'node:fs';
import { type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { roomOnDisk } from './disk-room.ts';

export interface SpillSource {
  /** Unwritten bytes from a position on, as a view of memory; empty if there are none yet. */
  piece(position: number): Uint8Array;
  /** The number of unwritten bytes from a position on. */
  waiting(position: number): number;
  /** Called after bytes were written, or when the file takes no more. */
  advanced(): void;
  /** The record to write to the folder of the log, when the file is created and when it is complete. */
  record?(): string;
  /** How many more bytes the agent may have on the disk before the next call. */
  room?(): number;
}

/** The record of the session, one line for each time it was written; the last complete one is valid. */
export const RECORD_NAME = 'session.json';
/** Less output waits for more before it is written: a write costs much more than its bytes. */
const WORTH_WRITING = 0x1_0000;
const GATHER_MS = 5;
/** O_NOFOLLOW: another process might have put a link there. */
const APPEND_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/**
 * Writes a log to disk while it grows, one write at a time. A failing write stops it for good with a note; what was written
 * stays readable through the descriptor. A finished log has no descriptor: each read opens it.
 */
export class SpillFile {
  readonly #folder: string;
  readonly #cap: number;
  readonly #source: SpillSource;
  #handle: FileHandle | undefined;
  #state: 'idle' | 'opening' | 'ready' | 'writing' | 'stopped' = 'idle';
  #written = 0;
  #note: string | undefined;
  #opening: Promise<void> = Promise.resolve();
  #whenIdle: (() => void)[] = [];
  #removed = false;
  #created = false;
  /** Another daemon began the file. */
  #isContinued = false;
  /** There is no descriptor: reads open it by name. */
  #isClosed = false;
  #stopsTaking = false;
  /** The position up to which the last check found room on the disk. */
  #roomUpTo = 0;
  /** Runs while few bytes wait for more. */
  #gathering: NodeJS.Timeout | undefined;

  constructor(folder: string, cap: number, source: SpillSource) {
    this.#folder = folder;
    this.#cap = cap;
    this.#source = source;
  }

  /** How many bytes from the start of the log are in the file. */
  get written(): number {
    return this.#written;
  }

  /** Whether it takes more bytes; false before the start, after the cap and after a failure. */
  get taking(): boolean {
    return this.#state !== 'idle' && this.#state !== 'stopped';
  }

  get started(): boolean {
    return this.#state !== 'idle';
  }

  /** Why it stopped, other than the cap. */
  get note(): string | undefined {
    return this.#note;
  }

  start(): void {
    if (this.#state !== 'idle' || this.#removed) return;
    this.#state = 'opening';
    this.#opening = this.#open();
  }

  /** Whether its folder exists; waits while it is created. */
  async hasFolder(): Promise<boolean> {
    await this.#opening;
    return this.#created && !this.#removed;
  }

  /** Writes new bytes. Called after each append; cheap while a write is in progress. */
  push(): void {
    if (this.#state === 'ready') this.#writeOrGather();
  }

  /** Uses the file of another daemon, for reading and removing. */
  adopt(bytes: number): void {
    this.#isClosed = true;
    this.#written = bytes;
    this.#created = true;
    this.#state = 'stopped';
  }

  /** Uses the file of another daemon and writes more to it. */
  continueAfter(bytes: number): void {
    this.adopt(bytes);
    this.#isContinued = true;
    this.#state = 'ready';
  }

  /** Waits for the disk, then writes the record. */
  async writeFinalRecord(): Promise<void> {
    await this.settled();
    this.#opening = this.#writeRecord();
    await this.#opening;
  }

  /** Takes no more bytes and closes the descriptor, because there may be many logs that no client reads. */
  async finish(): Promise<void> {
    await this.stopTaking();
    if (!this.#created || this.#removed) return;
    const handle = this.#handle;
    this.#isClosed = true;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Takes no more bytes; resolves when no write is in progress. */
  async stopTaking(): Promise<void> {
    if (this.#state === 'idle') return;
    this.#stopsTaking = true;
    await this.settled();
    this.#state = 'stopped';
    this.#source.advanced();
  }

  /** Keeps this many bytes from the start. */
  async truncate(bytes: number): Promise<void> {
    if (this.#removed || bytes >= this.#written) return;
    const before = this.#written;
    this.#written = bytes; // first, so that concurrent readers see the gap
    try {
      await this.#withFile(constants.O_RDWR, (handle) => handle.truncate(bytes));
    } catch (error) {
      this.#written = before;
      this.#note ??= `the log file could not be truncated (${codeOf(error)})`;
      return;
    }
    this.#opening = this.#writeRecord();
    await this.#opening;
  }

  async #withFile<T>(flags: number, work: (handle: FileHandle) => Promise<T>): Promise<T> {
    if (this.#handle !== undefined) return work(this.#handle);
    const handle = await open(this.#path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await work(handle);
    } finally {
      await handle.close();
    }
  }

  get #path(): string {
    return join(this.#folder, 'log');
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    await this.#opening;
    if (this.#state === 'ready') this.#writeNext();
    if (this.#state === 'writing') await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Reads from the disk at a position and returns the number of bytes. */
  async read(into: Uint8Array, position: number): Promise<number> {
    if (this.#handle === undefined && !this.#isClosed) return 0;
    try {
      return await this.#withFile(
        constants.O_RDONLY,
        async (handle) => (await handle.read(into, 0, into.length, position)).bytesRead,
      );
    } catch (error) {
      return this.#readFailed(error);
    }
  }

  /** `read` without a promise, for small reads. */
  readBlocking(into: Uint8Array, position: number): number {
    if (this.#handle === undefined && !this.#isClosed) return 0;
    try {
      if (this.#handle !== undefined) return readSync(this.#handle.fd, into, 0, into.length, position);
      const file = openSync(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        return readSync(file, into, 0, into.length, position);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      return this.#readFailed(error);
    }
  }

  /** Closes the file and removes it with its folder. */
  async remove(): Promise<void> {
    this.#removed = true;
    await this.settled();
    const handle = this.#handle;
    this.#handle = undefined;
    this.#isClosed = false;
    this.#state = 'stopped';
    await handle?.close();
    if (this.#created) await rm(this.#folder, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    try {
      await this.#makeFolder();
      this.#created = true;
      this.#state = 'ready';
      this.#writeNext();
    } catch (error) {
      this.#stop(error);
      return;
    }
    await this.#writeRecord();
  }

  /** Nearly always the folder of all sessions exists already. */
  async #makeFolder(): Promise<void> {
    const make = () => mkdir(this.#folder, { mode: 0o700 });
    await make().catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      await mkdir(dirname(this.#folder), { recursive: true, mode: 0o700 });
      await make();
    });
  }

  async #writeRecord(): Promise<void> {
    const record = this.#source.record?.();
    if (record === undefined || this.#removed || !this.#created) return;
    try {
      // Appending costs a quarter of a new file. The newline comes first, because the previous line may be truncated.
      await writeFile(join(this.#folder, RECORD_NAME), `\n${record}`, { flag: APPEND_FLAGS, mode: 0o600 });
    } catch (error) {
      this.#note ??= `the record of the session could not be written (${codeOf(error)})`;
    }
  }

  #writeOrGather(): void {
    const waiting = this.#source.waiting(this.#written);
    if (waiting === 0 || waiting >= WORTH_WRITING || this.#stopsTaking || this.#whenIdle.length > 0) this.#writeNext();
    else {
      this.#state = 'ready';
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined;
        if (this.#state === 'ready') this.#writeNext();
      }, GATHER_MS);
    }
  }

  #writeNext(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const room = this.#cap - this.#written;
    const piece = this.#source.piece(this.#written);
    if (this.#removed || this.#stopsTaking || room <= 0) {
      this.#state = 'stopped';
      this.#idle();
      return;
    }
    if (piece.length === 0) {
      this.#state = 'ready';
      this.#idle();
      return;
    }
    if (this.#written >= this.#roomUpTo && !this.#findRoom()) return;
    this.#state = 'writing';
    const handle = this.#handle;
    if (handle === undefined) {
      this.#createLog();
      return;
    }
    // The callback form: with a fast log a promise for each write costs more than the write.
    const most = Math.min(room, this.#roomUpTo - this.#written);
    write(handle.fd, piece, 0, Math.min(piece.length, most), this.#written, (error, bytes) => {
      if (error !== null) {
        this.#stop(error);
        return;
      }
      this.#written += bytes;
      this.#writeOrGather();
      this.#source.advanced();
    });
  }

  /** Creates the log with its first byte, because many commands print nothing. O_EXCL refuses a file that exists. */
  #createLog(): void {
    const exclusive = this.#isContinued ? 0 : constants.O_EXCL;
    const flags = constants.O_RDWR | constants.O_CREAT | exclusive | constants.O_NOFOLLOW;
    open(this.#path, flags, 0o600).then(
      (handle) => {
        this.#handle = handle;
        this.#isClosed = false;
        this.#writeNext();
      },
      (error: unknown) => this.#stop(error),
    );
  }

  /** A nearly full disk counts as full. */
  #findRoom(): boolean {
    const owners = this.#source.room?.() ?? Number.POSITIVE_INFINITY;
    this.#roomUpTo = this.#written + Math.min(roomOnDisk(this.#folder), owners);
    if (this.#roomUpTo > this.#written) return true;
    this.#stop({ code: 'ENOSPC' });
    return false;
  }

  /** Readers see a gap, and the note says why. */
  #readFailed(error: unknown): number {
    this.#note ??= `the log file could not be read (${codeOf(error)})`;
    return 0;
  }

  #stop(error: unknown): void {
    this.#state = 'stopped';
    const where = `after ${this.#written} bytes (${codeOf(error)})`;
    this.#note = `the output could not be written to the disk ${where}; the middle of the log may be lost`;
    this.#idle();
    this.#source.advanced();
  }

  #idle(): void {
    const waiting = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of waiting) resolve();
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}
