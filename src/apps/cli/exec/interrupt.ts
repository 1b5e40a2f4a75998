/** What happens when somebody wants a command to end: Ctrl-C, or a signal to this program. */

export interface Interrupts {
  /** The number of the first signal that came. */
  readonly first: number | undefined;
  /** Resolves at the second signal: whoever sends it will not wait any longer. */
  readonly again: Promise<void>;
  stop(): void;
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** What to do about them. */
export interface InterruptActions {
  /** At the first Ctrl-C: the program hears it first. */
  readonly interrupt: () => void;
  /** At the second signal, at the first one that is no Ctrl-C, and when a program that was interrupted has not ended in time. */
  readonly end: () => void;
}

/** How long a program may take to end after Ctrl-C. */
const GRACE_MS = 5_000;

/** Heeds signals until it is stopped. */
export function handleInterrupts({ interrupt, end }: InterruptActions): Interrupts {
  let first: number | undefined;
  let grace: NodeJS.Timeout | undefined;
  let hurry!: () => void;
  const again = new Promise<void>((resolve) => (hurry = resolve));
  const handlers = Object.entries(SIGNALS).map(([name, number]) => {
    const heed = (): void => {
      if (first === undefined) {
        first = number;
        if (name === 'SIGINT') {
          interrupt();
          grace = setTimeout(end, GRACE_MS);
        } else end();
      } else {
        clearTimeout(grace);
        end();
        hurry();
      }
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
      clearTimeout(grace);
      for (const { name, heed } of handlers) process.off(name, heed);
    },
  };
}
