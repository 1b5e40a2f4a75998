/** How much of files a call has read, and the stop when that is more than it may. */

/** How much one call may read. */
export interface Allowance {
  /** Bytes of files that are read as a whole, to be parsed. */
  readonly whole: number;
  /** Bytes that are read in windows, for scanners. */
  readonly windows: number;
}

/** Thrown in a process that others share, before anything is written: the call has to run in a worker. */
export class NeedsWorker extends Error {
  override readonly name = 'NeedsWorker';
}

export class Meter {
  readonly #exceeded: (bytes: number) => Error;
  #whole: number;
  #windows: number;

  /** `exceeded` makes what is thrown; it hears how many bytes were asked for at last. */
  constructor(
    { whole, windows }: Allowance,
    exceeded: (bytes: number) => Error = (bytes) => new NeedsWorker(`${bytes} bytes`),
  ) {
    this.#whole = whole;
    this.#windows = windows;
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

  /** From now on nothing is counted: what has begun to write must end. */
  stop(): void {
    this.#whole = Number.POSITIVE_INFINITY;
    this.#windows = Number.POSITIVE_INFINITY;
  }
}
