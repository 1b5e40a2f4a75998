/** Events for a listener that may take its time: one after another, in their order. */
import type { FollowEvent } from '../../wire/session.ts';

export interface Turns {
  hear(event: FollowEvent): void;
  /** Resolves when the listener has heard everything; rejects with what it threw. */
  heard(): Promise<void>;
}

/** What comes while a promise of the listener is open waits here. One that never gives a promise is called at once. */
export function inTurns(listener: (event: FollowEvent) => void | Promise<void>): Turns {
  let last: Promise<void> | undefined;
  return {
    hear(event) {
      if (last !== undefined) last = last.then(() => listener(event));
      else last = listener(event) ?? undefined;
      last?.catch(() => undefined); // it is told by `heard`
    },
    heard: async () => last,
  };
}
