/** Asks the system for something that need not be had: a refusal is an answer. */

/** What came of it; undefined where the system refused. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Whether the system did it. */
export function succeeds(work: () => unknown): boolean {
  return (
    attempt(() => {
      work();
      return true;
    }) ?? false
  );
}
