import { LONGEST_TIMER } from './deadline.ts';

/** A condition variable: wakes those who wait for a change. */
export class Condition {
  #waiting = new Set<() => void>();

  notifyAll(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }

  /** Resolves at the next notification, after `ms` at most (early for more than 24 days), or when the signal fires. */
  wait(ms?: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake);
      if (ms !== undefined) timer = setTimeout(wake, Math.min(ms, LONGEST_TIMER));
    });
  }
}
