/** Subscribers to a numbered list, notices or the audit log: each receives every entry after the number it knows, in order, once. */

export interface EventBoard<T> {
  /** Call after entries were stored. */
  notify(): void;
  follow(after: number, listener: (entry: T) => void, signal: AbortSignal): Promise<void>;
}

const BATCH_SIZE = 500;

/** `read` returns the next entries after a number. */
export function createEventBoard<T extends { readonly seq: number }>(
  read: (after: number, limit: number) => readonly T[],
): EventBoard<T> {
  const waiting = new Set<() => void>();
  return {
    notify() {
      for (const wake of waiting) wake();
    },
    async follow(after, listener, signal) {
      let seen = after;
      let wake: () => void = () => undefined;
      const woken = () => wake();
      waiting.add(woken);
      signal.addEventListener('abort', woken);
      try {
        while (!signal.aborted) {
          const batch = read(seen, BATCH_SIZE);
          for (const entry of batch) {
            listener(entry);
            seen = entry.seq;
          }
          if (batch.length < BATCH_SIZE && !signal.aborted)
            await new Promise<void>((resolve) => {
              wake = resolve;
              // One may have arrived while the last ones were delivered.
              if (read(seen, 1).length > 0) resolve();
            });
        }
      } finally {
        waiting.delete(woken);
        signal.removeEventListener('abort', woken);
      }
    },
  };
}
