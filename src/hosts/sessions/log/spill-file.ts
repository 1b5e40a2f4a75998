import { closeSync, constants, openSync, readSync, write } from 'node:fs';
import { type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { roomOnDisk } from './disk-room.ts';

/** What a spill file is filled from. */
export interface SpillSource {
  /** Unwritten bytes from a position on, as they lie in memory; empty when there are none yet. */
  piece(position: number): Uint8Array;
  /** Some bytes are on the disk, or the file has stopped taking any. */
  advanced(): void;
  /** What is written beside the bytes, when the file is made and when it is complete. */
  record?(): string;
  /** How many more bytes its owner may have on the disk before this is asked again. */
  room?(): number;
}

/** The file that says whose log it is: a line for each time that it was written, of which the last whole one holds. */
export const RECORD_NAME = 'session.json';
/** What someone else put under the name is not followed. */
const APPENDING = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/**
 * The file that takes a log while it grows, one write at a time. A failing write stops it for good with a note; what
 * was written stays readable through the descriptor. A log that has ended holds no descriptor: it is opened for each read.
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
  #made = false;
  /** Complete, and closed: read by its name. */
  #resting = false;
  #stopsTaking = false;
  /** Up to here the disk had room when it was asked. */
  #roomUpTo = 0;

  constructor(folder: string, cap: number, source: SpillSource) {
    this.#folder = folder;
    this.#cap = cap;
    this.#source = source;
  }

  /** How many bytes from the start of the log are in the file. */
  get written(): number {
    return this.#written;
  }

  /** Whether more bytes will be taken; false before the start, past the cap and after a failure. */
  get taking(): boolean {
    return this.#state !== 'idle' && this.#state !== 'stopped';
  }

  get started(): boolean {
    return this.#state !== 'idle';
  }

  /** Why it stopped, other than by its cap. */
  get note(): string | undefined {
    return this.#note;
  }

  start(): void {
    if (this.#state !== 'idle' || this.#removed) return;
    this.#state = 'opening';
    this.#opening = this.#open();
  }

  /** Writes what is new; called after each append, so it is cheap while a write is under way. */
  push(): void {
    if (this.#state === 'ready') this.#writeNext();
  }

  /** Takes what another daemon has written, to be read and removed. */
  adopt(bytes: number): void {
    this.#resting = true;
    this.#written = bytes;
    this.#made = true;
    this.#state = 'stopped';
  }

  /** Waits for the disk, and writes the record as it is by then. */
  async recorded(): Promise<void> {
    await this.settled();
    this.#opening = this.#writeRecord();
    await this.#opening;
  }

  /** Takes no more, and gives the descriptor back; there may be many logs that nobody reads. */
  async rest(): Promise<void> {
    await this.stopTaking();
    if (!this.#made || this.#removed) return;
    const handle = this.#handle;
    this.#resting = true;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Takes no more; resolves when nothing is on its way to the disk. */
  async stopTaking(): Promise<void> {
    if (this.#state === 'idle') return;
    this.#stopsTaking = true;
    await this.settled();
    this.#state = 'stopped';
    this.#source.advanced();
  }

  /** Keeps so many bytes from the start. */
  async shorten(bytes: number): Promise<void> {
    if (this.#removed || bytes >= this.#written) return;
    const before = this.#written;
    this.#written = bytes; // first: whoever reads in the meantime sees the gap
    try {
      await this.#withFile(constants.O_RDWR, (handle) => handle.truncate(bytes));
    } catch (error) {
      this.#written = before;
      this.#note ??= `the output on the disk could not be shortened (${codeOf(error)})`;
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

  /** Resolves when nothing is on its way to the disk. */
  async settled(): Promise<void> {
    await this.#opening;
    if (this.#state === 'writing') await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Fills `into` from a position, from the disk, and says how many bytes came. */
  async read(into: Uint8Array, position: number): Promise<number> {
    if (this.#handle === undefined && !this.#resting) return 0;
    try {
      return await this.#withFile(
        constants.O_RDONLY,
        async (handle) => (await handle.read(into, 0, into.length, position)).bytesRead,
      );
    } catch (error) {
      return this.#unreadable(error);
    }
  }

  /** The same at once, for small reads. */
  readNow(into: Uint8Array, position: number): number {
    if (this.#handle === undefined && !this.#resting) return 0;
    try {
      if (this.#handle !== undefined) return readSync(this.#handle.fd, into, 0, into.length, position);
      const file = openSync(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        return readSync(file, into, 0, into.length, position);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      return this.#unreadable(error);
    }
  }

  /** Closes the file and removes it with its folder. */
  async remove(): Promise<void> {
    this.#removed = true;
    await this.settled();
    const handle = this.#handle;
    this.#handle = undefined;
    this.#resting = false;
    this.#state = 'stopped';
    await handle?.close();
    if (this.#made) await rm(this.#folder, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    try {
      await this.#makeFolder();
      this.#made = true;
      this.#state = 'ready';
      this.#writeNext();
    } catch (error) {
      this.#stop(error);
      return;
    }
    await this.#writeRecord();
  }

  /** The folder of all sessions is nearly always there. */
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
    if (record === undefined || this.#removed || !this.#made) return;
    try {
      // Appended, which costs a quarter of a new file; on a line of its own also behind one that was cut short.
      await writeFile(join(this.#folder, RECORD_NAME), `\n${record}`, { flag: APPENDING, mode: 0o600 });
    } catch (error) {
      this.#note ??= `what the output belongs to could not be kept on the disk (${codeOf(error)})`;
    }
  }

  #writeNext(): void {
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
      this.#makeLog();
      return;
    }
    // The callback form: a promise for each piece costs more than the write on a fast log.
    write(handle.fd, piece, 0, Math.min(piece.length, room), this.#written, (error, bytes) => {
      if (error !== null) {
        this.#stop(error);
        return;
      }
      this.#written += bytes;
      this.#writeNext();
      this.#source.advanced();
    });
  }

  /** With its first byte: many commands print nothing. What someone else put under its name is neither followed nor written to. */
  #makeLog(): void {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    open(this.#path, flags, 0o600).then(
      (handle) => {
        this.#handle = handle;
        this.#writeNext();
      },
      (error: unknown) => this.#stop(error),
    );
  }

  /** A disk that is nearly full takes no more, as if it were full. */
  #findRoom(): boolean {
    const owners = this.#source.room?.() ?? Number.POSITIVE_INFINITY;
    this.#roomUpTo = this.#written + Math.min(roomOnDisk(this.#folder), owners);
    if (this.#roomUpTo > this.#written) return true;
    this.#stop({ code: 'ENOSPC' });
    return false;
  }

  /** What cannot be read is not there any more: readers see a gap, and the note says why. */
  #unreadable(error: unknown): number {
    this.#note ??= `the output on the disk could not be read (${codeOf(error)})`;
    return 0;
  }

  #stop(error: unknown): void {
    this.#state = 'stopped';
    const past = `past ${this.#written} bytes (${codeOf(error)})`;
    this.#note = `the output could not be kept on the disk ${past}: its middle may be lost`;
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
