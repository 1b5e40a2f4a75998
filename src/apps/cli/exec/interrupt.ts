/** Handles Ctrl-C and signals to this program while a command runs. */

export interface Interrupts {
  /** Number of the first signal. */
  readonly first: number | undefined;
  /** Resolves at the second signal: stop waiting then. */
  readonly again: Promise<void>;
  stop(): void;
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

export interface InterruptActions {
  /** At the first Ctrl-C. */
  readonly interrupt: () => void;
  /** At the second signal, at a first one other than Ctrl-C, and if the program did not end in time after Ctrl-C. */
  readonly end: () => void;
}

const GRACE_MS = 5_000;

export function handleInterrupts({ interrupt, end }: InterruptActions): Interrupts {
  let first: number | undefined;
  let grace: NodeJS.Timeout | undefined;
  let resolveAgain!: () => void;
  const again = new Promise<void>((resolve) => (resolveAgain = resolve));
  const handlers = Object.entries(SIGNALS).map(([name, number]) => {
    const handle = (): void => {
      if (first === undefined) {
        first = number;
        if (name === 'SIGINT') {
          interrupt();
          grace = setTimeout(end, GRACE_MS);
        } else end();
      } else {
        clearTimeout(grace);
        end();
        resolveAgain();
      }
    };
    process.on(name, handle);
    return { name, handle };
  });
  return {
    get first() {
      return first;
    },
    again,
    stop() {
      clearTimeout(grace);
      for (const { name, handle } of handlers) process.off(name, handle);
    },
  };
}
