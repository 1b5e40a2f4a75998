/** Closes descriptors that calls share when the last call has ended. */

/** What calls use; `during` counts a call, `close` closes it after the last one. */
export interface Use {
  during<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Calls `close` when it was asked for and nothing is under way. */
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
