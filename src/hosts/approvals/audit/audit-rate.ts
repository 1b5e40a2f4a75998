/** Limits the audit rows per agent and second; the rest is counted in one row. */
import type { NewAuditEntry } from './audit-row.ts';

const MOST_PER_SECOND = 100;
const SECOND = 1000;
/** Actions of people are never omitted: an agent that floods the log must not hide them. */
const BY_PEOPLE: ReadonlySet<NewAuditEntry['event']> = new Set([
  'answered',
  'extended',
  'override',
  'rules',
  'omitted',
  'login',
  'page',
  'control',
]);

interface Window {
  readonly from: number;
  rows: number;
  more: number;
}

export class AuditRate {
  readonly #windows = new Map<string, Window>();
  readonly #append: (entry: NewAuditEntry) => void;
  readonly #now: () => number;
  readonly #onTrouble: ((error: unknown) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onTrouble` receives the error when a count could not be written; it is retried. */
  constructor(append: (entry: NewAuditEntry) => void, now: () => number, onTrouble?: (error: unknown) => void) {
    this.#append = append;
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  /** Appends the entry, or counts it. */
  add(entry: NewAuditEntry): void {
    const time = this.#now();
    this.#endWindows(time);
    if (BY_PEOPLE.has(entry.event)) {
      this.#append(entry);
      return;
    }
    const window = this.#windows.get(entry.agent) ?? { from: time, rows: 0, more: 0 };
    this.#windows.set(entry.agent, window);
    if (window.rows >= MOST_PER_SECOND) {
      window.more++;
      this.#timer ??= setTimeout(() => this.#tick(), SECOND).unref();
      return;
    }
    window.rows++;
    this.#append(entry);
  }

  /** Writes the counts of omitted rows. */
  close(): void {
    clearTimeout(this.#timer);
    this.#endWindows(Number.POSITIVE_INFINITY);
  }

  #tick(): void {
    this.#timer = undefined;
    try {
      this.#endWindows(this.#now());
    } catch (error) {
      this.#onTrouble?.(error);
    }
    const isLeft = [...this.#windows.values()].some(({ more }) => more > 0);
    if (isLeft) this.#timer = setTimeout(() => this.#tick(), SECOND).unref();
  }

  #endWindows(time: number): void {
    for (const [agent, { from, more }] of this.#windows) {
      // A clock that was set back also ends a window.
      if (time < from + SECOND && time >= from) continue;
      if (more > 0) this.#append({ event: 'omitted', agent, details: { more, text: `${more} more` } });
      this.#windows.delete(agent);
    }
  }
}
