/** How much of files a call has read, gone through and is about to write, and the stop when that is more than it may. */

/** How much one call may read, do with what it has read, and write. */
export interface Allowance {
  /** Bytes of files that are read as a whole, to be parsed. */
  readonly whole: number;
  /** Bytes that are read in windows, for scanners. */
  readonly windows: number;
  /** Characters that searches go through, aliases written out, once for each pass. */
  readonly work: number;
  /** Names on the paths of files that are locked and written together: each file, and each folder above it. */
  readonly names: number;
}

/** Thrown in a process that others share, before anything is written: the call has to run in a worker. */
export class NeedsWorker extends Error {
  override readonly name = 'NeedsWorker';
}

/** How much was asked for at last, and of what. */
export interface Excess {
  readonly amount: number;
  readonly of: 'bytes' | 'names';
}

export class Meter {
  readonly #exceeded: (excess: Excess) => Error;
  readonly #onStop: () => void;
  #whole: number;
  #windows: number;
  #work: number;
  #names: number;

  /** `exceeded` makes what is thrown; `onStop` hears of the first write. */
  constructor(
    { whole, windows, work, names }: Allowance,
    exceeded: (excess: Excess) => Error = ({ amount, of }) => new NeedsWorker(`${amount} ${of}`),
    onStop: () => void = () => {},
  ) {
    this.#onStop = onStop;
    this.#whole = whole;
    this.#windows = windows;
    this.#work = work;
    this.#names = names;
    this.#exceeded = exceeded;
  }

  /** Counts a file, or a part of the request, that is taken as a whole; asked before it is read. */
  countWhole(bytes: number): void {
    this.#whole -= bytes;
    if (this.#whole < 0) throw this.#exceeded({ amount: bytes, of: 'bytes' });
  }

  /** Counts a file that does not say how long it is; only an allowance without end covers one. */
  countUnknown(): void {
    if (this.#windows !== Number.POSITIVE_INFINITY)
      throw this.#exceeded({ amount: Number.POSITIVE_INFINITY, of: 'bytes' });
  }

  countWindow(bytes: number): void {
    this.#windows -= bytes;
    if (this.#windows < 0) throw this.#exceeded({ amount: bytes, of: 'bytes' });
  }

  /** Counts what a search will go through; asked before it is done. */
  countWork(characters: number): void {
    this.#work -= characters;
    if (this.#work < 0) throw this.#exceeded({ amount: characters, of: 'bytes' });
  }

  /** Compares what is about to be locked or written in one batch; a batch inside another one has no further files. */
  checkNames(names: number): void {
    if (names > this.#names) throw this.#exceeded({ amount: names, of: 'names' });
  }

  /** From now on nothing is counted: what has begun to write must end. */
  stop(): void {
    this.#onStop();
    this.#whole = Number.POSITIVE_INFINITY;
    this.#windows = Number.POSITIVE_INFINITY;
    this.#work = Number.POSITIVE_INFINITY;
    this.#names = Number.POSITIVE_INFINITY;
  }
}
