/** A timer of the platform takes no more than 2^31 - 1 ms; whoever waits longer looks at the clock in between. */
const LONGEST_TIMER = 0x7fff_ffff;

/** Wakes those who wait for something to change. Ringing costs nothing while nobody waits. */
export class Bell {
  #waiting = new Set<() => void>();

  ring(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }

  /** Resolves at the next ring, after `ms` at most, or when the signal fires. */
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
