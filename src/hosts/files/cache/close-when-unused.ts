/** `during` counts a running call; `close` closes after the last one. */
export interface Use {
  during<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Calls `close` when it was requested and no call runs, for descriptors that calls share. */
export function closesWhenUnused(close: () => void): Use {
  let users = 0;
  let isAsked = false;
  const closeIfUnused = (): void => {
    if (!isAsked || users > 0) return;
    isAsked = false;
    close();
  };
  return {
    async during(work) {
      users++;
      try {
        return await work();
      } finally {
        users--;
        closeIfUnused();
      }
    },
    close() {
      isAsked = true;
      closeIfUnused();
    },
  };
}
