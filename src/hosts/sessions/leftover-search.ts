/** Searches for processes that ended sessions left behind: on request, and before a session is removed. */
import type { Leftovers } from '../process/leftovers.ts';
import type { LiveSession } from './session.ts';

export interface LeftoverSearch {
  /** Checks every session that may have leftover processes; scans nothing if there is none. */
  readonly search: () => Promise<void>;
  /** Whether a session is known to have no leftover processes. If that is unknown, a search starts soon. */
  readonly isClean: (session: LiveSession) => boolean;
}

/** The shortest time between two searches for sessions that are about to be removed. */
const EVERY_MS = 2_000;

/** Without a source no session has leftover processes. */
export function createLeftoverSearch(source: Leftovers | undefined, all: () => Iterable<LiveSession>): LeftoverSearch {
  let searchedAt = Number.NEGATIVE_INFINITY;
  let searching: Promise<void> | undefined;

  async function check(leftovers: Leftovers, sessions: readonly LiveSession[]): Promise<void> {
    const found = await leftovers.find(sessions.map(({ id }) => id));
    for (const session of sessions) session.setLeftovers(found.get(session.id) ?? []);
  }
  async function search(): Promise<void> {
    const sessions = [...all()].filter(({ mayHaveLeftovers }) => mayHaveLeftovers);
    if (source === undefined || sessions.length === 0) return;
    searchedAt = performance.now();
    await check(source, sessions);
  }

  return {
    search,
    isClean(session) {
      if (source === undefined || !session.mayHaveLeftovers) return true;
      if (searching === undefined && performance.now() - searchedAt >= EVERY_MS)
        searching = search()
          .catch(() => undefined) // the state stays unknown, and the next call searches again
          .finally(() => (searching = undefined));
      return false;
    },
  };
}
