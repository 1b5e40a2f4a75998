/** What happens when somebody wants a command to end: Ctrl-C, or a signal to this program. */

export interface Interrupts {
  /** The number of the first signal that came. */
  readonly first: number | undefined;
  /** Resolves at the second signal: whoever sends it will not wait any longer. */
  readonly again: Promise<void>;
  stop(): void;
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Calls `end` at the first signal. */
export function heedInterrupts(end: () => void): Interrupts {
  let first: number | undefined;
  let hurry!: () => void;
  const again = new Promise<void>((resolve) => (hurry = resolve));
  const handlers = Object.entries(SIGNALS).map(([name, number]) => {
    const heed = (): void => {
      if (first === undefined) {
        first = number;
        end();
      } else hurry();
    };
    process.on(name, heed);
    return { name, heed };
  });
  return {
    get first() {
      return first;
    },
    again,
    stop() {
      for (const { name, heed } of handlers) process.off(name, heed);
    },
  };
}
