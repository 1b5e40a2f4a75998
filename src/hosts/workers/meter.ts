/** Counts what a call reads, processes and is about to write, and throws if that exceeds its allowance. */

export interface Allowance {
  /** Bytes of files that are read completely, for parsers. */
  readonly whole: number;
  /** Bytes of files that are read in windows, for scanners. */
  readonly windows: number;
  /** Characters that searches process, with aliases expanded, once for each pass. */
  readonly work: number;
  /** Names on the paths of files that are locked and written together: each file, and each folder above it. */
  readonly names: number;
}

/** Thrown in a shared process before anything is written: the call has to run in a worker. */
export class NeedsWorker extends Error {
  override readonly name = 'NeedsWorker';
}

/** The amount that exceeded the allowance. */
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

  /** `exceeded` creates the error to throw; `onStop` is called before the first write. */
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

  /** Counts a file, or a part of the request, before it is read completely. */
  countWhole(bytes: number): void {
    this.#whole -= bytes;
    if (this.#whole < 0) throw this.#exceeded({ amount: bytes, of: 'bytes' });
  }

  /** Counts a file of unknown size; only an unlimited allowance covers it. */
  countUnknown(): void {
    if (this.#windows !== Number.POSITIVE_INFINITY)
      throw this.#exceeded({ amount: Number.POSITIVE_INFINITY, of: 'bytes' });
  }

  countWindow(bytes: number): void {
    this.#windows -= bytes;
    if (this.#windows < 0) throw this.#exceeded({ amount: bytes, of: 'bytes' });
  }

  /** Counts what a search will process, before it runs. */
  countWork(characters: number): void {
    this.#work -= characters;
    if (this.#work < 0) throw this.#exceeded({ amount: characters, of: 'bytes' });
  }

  /** Checks a batch before it is locked or written; a nested batch has no further files. */
  checkNames(names: number): void {
    if (names > this.#names) throw this.#exceeded({ amount: names, of: 'names' });
  }

  /** Stops counting: a call that has begun to write must complete. */
  stop(): void {
    this.#onStop();
    this.#whole = Number.POSITIVE_INFINITY;
    this.#windows = Number.POSITIVE_INFINITY;
    this.#work = Number.POSITIVE_INFINITY;
    this.#names = Number.POSITIVE_INFINITY;
  }
}
