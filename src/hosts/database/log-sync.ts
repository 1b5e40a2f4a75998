/**
 * Writes the write-ahead log to the disk. The engine could do that at each commit, but it would block the process for every
 * small record; here only a caller that must not continue before it is durable waits.
 */
import { closeSync, constants, fdatasync, fdatasyncSync, openSync } from 'node:fs';

/** How long commits that no caller waits for may wait for others. */
const GATHER_MS = 5;

export class LogSync {
  readonly #file: string;
  readonly #failed: (error: Error) => void;
  /**
   * One for callers that wait, and one for the background. The system reports a failed write once to each: with a single one, the
   * background could take the report, and a caller would be told that its commit is on the disk.
   */
  #descriptors: { readonly waiting: number; readonly background: number } | undefined;
  /** A commit is not on the disk yet. */
  #isDirty = false;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `file`: the database. `failed` receives the error of a write in the background. */
  constructor(file: string, failed: (error: Error) => void) {
    this.#file = `${file}-wal`;
    this.#failed = failed;
  }

  /** Opens the log, before a commit: afterwards it is too late to report that it cannot be opened. The engine has created it. */
  open(): void {
    this.#opened();
  }

  /** A commit was written, and is not on the disk. */
  written(): void {
    this.#isDirty = true;
  }

  /** Returns when all commits so far survive a power failure. */
  now(): void {
    if (!this.#isDirty && !this.#isRunning) return;
    fdatasyncSync(this.#opened().waiting);
    this.#isDirty = false;
  }

  /** Writes the commits so far a moment later, without a wait: those of one command together, and not while others wait for the disk. */
  soon(): void {
    if (!this.#isDirty || this.#isRunning || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDirty && !this.#isRunning) this.#run();
    }, GATHER_MS).unref();
  }

  /** The caller has written the log back into the database. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (!this.#isRunning) this.#closeDescriptors();
  }

  #run(): void {
    const { background } = this.#opened();
    this.#isDirty = false;
    this.#isRunning = true;
    fdatasync(background, (error) => {
      this.#isRunning = false;
      if (error !== null) this.#isDirty = true;
      if (this.#isClosed) this.#closeDescriptors();
      if (error !== null) this.#failed(error);
      else if (this.#isDirty && !this.#isClosed) this.#run();
    });
  }

  #opened(): { readonly waiting: number; readonly background: number } {
    if (this.#descriptors !== undefined) return this.#descriptors;
    const waiting = openLog(this.#file);
    try {
      return (this.#descriptors = { waiting, background: openLog(this.#file) });
    } catch (error) {
      closeSync(waiting);
      throw error;
    }
  }

  #closeDescriptors(): void {
    if (this.#descriptors === undefined) return;
    closeSync(this.#descriptors.waiting);
    closeSync(this.#descriptors.background);
    this.#descriptors = undefined;
  }
}

function openLog(file: string): number {
  return openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
}
