/** Looks for processes that ended sessions left behind: when somebody asks, and before a session is forgotten. */
import type { Leftovers } from '../process/leftovers.ts';
import type { LiveSession } from './session.ts';

export interface Look {
  /** Looks at every session that may have left something; nothing is scanned where there is none. */
  readonly look: () => Promise<void>;
  /** Whether a session is known to have left nothing. One that is not known to is looked at soon. */
  readonly isClean: (session: LiveSession) => boolean;
}

/** How often sessions that are to be forgotten are looked at. */
const EVERY_MS = 2_000;

/** Without a source, no session leaves anything. */
export function createLook(source: Leftovers | undefined, all: () => Iterable<LiveSession>): Look {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  async function lookAt(leftovers: Leftovers, sessions: readonly LiveSession[]): Promise<void> {
    const found = await leftovers.find(sessions.map(({ id }) => id));
    for (const session of sessions) session.setLeftovers(found.get(session.id) ?? []);
  }
  async function look(): Promise<void> {
    const sessions = [...all()].filter(({ mayHaveLeftovers }) => mayHaveLeftovers);
    if (source === undefined || sessions.length === 0) return;
    lookedAt = performance.now();
    await lookAt(source, sessions);
  }

  return {
    look,
    isClean(session) {
      if (source === undefined || !session.mayHaveLeftovers) return true;
      if (looking === undefined && performance.now() - lookedAt >= EVERY_MS)
        looking = look()
          .catch(() => undefined) // it stays as it is, and is looked at again
          .finally(() => (looking = undefined));
      return false;
    },
  };
}
