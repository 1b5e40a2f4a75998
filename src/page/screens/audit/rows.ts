/** The loaded rows of one search, newest first. Pages are loaded in order, as far as the view needs them. */
import type { AuditEntry } from '../../../wire/approval.ts';

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** `before` of the next page; absent after the last one. */
  readonly next?: number | undefined;
}

export type LoadPage = (before: number | undefined) => Promise<AuditPage>;

/** Older entries are found by a narrower search: a browser cannot keep a log of any length. */
export const MOST_ROWS = 20_000;

export class AuditRows {
  readonly #load: LoadPage;
  #entries: readonly AuditEntry[] = [];
  #next: number | undefined;
  #isComplete = false;
  #loading: Promise<void> | undefined;

  constructor(load: LoadPage) {
    this.#load = load;
  }

  get entries(): readonly AuditEntry[] {
    return this.#entries;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Loads pages until there are this many rows, or no more, or as many as are kept. */
  async ensure(count: number): Promise<void> {
    const wanted = Math.min(count, MOST_ROWS);
    while (this.#entries.length < wanted && !this.#isComplete) {
      this.#loading ??= this.#loadNext();
      await this.#loading;
    }
  }

  async #loadNext(): Promise<void> {
    try {
      const { entries, next } = await this.#load(this.#next);
      this.#entries = [...this.#entries, ...entries];
      this.#next = next;
      this.#isComplete = next === undefined;
    } finally {
      this.#loading = undefined;
    }
  }
}
