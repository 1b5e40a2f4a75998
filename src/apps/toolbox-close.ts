/** The end of a toolbox that is dropped: its descriptors are closed at once, and not when memory is collected. */

const closers = new WeakMap<object, () => void>();

/** Says how a toolbox is closed. */
export function registerClose(toolbox: object, close: () => void): void {
  closers.set(toolbox, close);
}

/** Closes what a toolbox holds, after the last call that is under way. A later call opens what it needs again. */
export function closeToolbox(toolbox: object): void {
  closers.get(toolbox)?.();
}

/** Something that is in use by calls. */
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
