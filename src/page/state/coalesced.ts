/**
 * Loads at most once at a time. Calls during a load share the next one, which begins after it, so that each caller gets what was
 * true when it called: a burst of events is two loads, and leaves room for the calls of a person.
 */
export function coalesced(load: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    running = load().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running
      .catch(() => undefined) // its own callers get the error
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
