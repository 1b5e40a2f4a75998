/** When a session wrote its last output. */
const SILENCE_MS = 15_000;

export class LastOutput {
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #at = 0;
  #monotonicAt = 0;

  constructor(now: () => number, monotonic: () => number) {
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /** On the wall clock. */
  get at(): number {
    return this.#at;
  }

  note(): void {
    this.#at = this.#now();
    this.#monotonicAt = this.#monotonic();
  }

  /** For a session of an earlier process. */
  restore(at: number): void {
    this.#at = at;
  }

  /** Whether there was no output for a while. */
  get isOld(): boolean {
    return this.#monotonic() - this.#monotonicAt >= SILENCE_MS;
  }
}
