/** The time before the next attempt to connect: doubled after each attempt without a link, and after each short link. */
export class ReconnectDelays {
  readonly #first: number;
  readonly #longest: number;
  /** Attempts without a link, since the last link. */
  #failed = 0;
  /** Short links, since the last stable one: two machines with one key replace each other's links. */
  #short = 0;
  #linkedAt: number | undefined;

  constructor(firstMs: number, longestMs: number) {
    this.#first = firstMs;
    this.#longest = longestMs;
  }

  linked(): void {
    this.#linkedAt = performance.now();
  }

  /** After the end of an attempt or a link. */
  next(): number {
    const linkedAt = this.#linkedAt;
    this.#linkedAt = undefined;
    if (linkedAt === undefined) this.#failed++;
    else {
      this.#failed = 0;
      this.#short = performance.now() - linkedAt >= STABLE_MS ? 0 : this.#short + 1;
    }
    const doublings = Math.max(0, this.#failed + this.#short - 1);
    return Math.min(this.#first * 2 ** doublings, this.#longest);
  }

  reset(): void {
    this.#failed = 0;
    this.#short = 0;
    this.#linkedAt = undefined;
  }
}

/** A link of this length starts the delays again. */
const STABLE_MS = 10_000;
