/** How much of files a call has read and gone through, and the stop when that is more than it may. */

/** How much one call may read, and do with what it has read. */
export interface Allowance {
  /** Bytes of files that are read as a whole, to be parsed. */
  readonly whole: number;
  /** Bytes that are read in windows, for scanners. */
  readonly windows: number;
  /** Characters that searches go through, aliases written out, once for each pass. */
  readonly work: number;
}

/** Thrown in a process that others share, before anything is written: the call has to run in a worker. */
export class NeedsWorker extends Error {
  override readonly name = 'NeedsWorker';
}

export class Meter {
  readonly #exceeded: (bytes: number) => Error;
  readonly #onStop: () => void;
  #whole: number;
  #windows: number;
  #work: number;

  /** `exceeded` makes what is thrown, from how many bytes were asked for at last; `onStop` hears of the first write. */
  constructor(
    { whole, windows, work }: Allowance,
    exceeded: (bytes: number) => Error = (bytes) => new NeedsWorker(`${bytes} bytes`),
    onStop: () => void = () => {},
  ) {
    this.#onStop = onStop;
    this.#whole = whole;
    this.#windows = windows;
    this.#work = work;
    this.#exceeded = exceeded;
  }

  /** Counts a file, or a part of the request, that is taken as a whole; asked before it is read. */
  countWhole(bytes: number): void {
    this.#whole -= bytes;
    if (this.#whole < 0) throw this.#exceeded(bytes);
  }

  /** Counts a file that does not say how long it is; only an allowance without end covers one. */
  countUnknown(): void {
    if (this.#windows !== Number.POSITIVE_INFINITY) throw this.#exceeded(Number.POSITIVE_INFINITY);
  }

  countWindow(bytes: number): void {
    this.#windows -= bytes;
    if (this.#windows < 0) throw this.#exceeded(bytes);
  }

  /** Counts what a search will go through; asked before it is done. */
  countWork(characters: number): void {
    this.#work -= characters;
    if (this.#work < 0) throw this.#exceeded(characters);
  }

  /** From now on nothing is counted: what has begun to write must end. */
  stop(): void {
    this.#onStop();
    this.#whole = Number.POSITIVE_INFINITY;
    this.#windows = Number.POSITIVE_INFINITY;
    this.#work = Number.POSITIVE_INFINITY;
  }
}
