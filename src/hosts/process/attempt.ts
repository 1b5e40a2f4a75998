/** The result of an optional operation; undefined where it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function succeeds(work: () => unknown): boolean {
  return (
    attempt(() => {
      work();
      return true;
    }) ?? false
  );
}
