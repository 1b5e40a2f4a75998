import { computed, signal } from '@preact/signals';
import type { SessionInfo } from '../../wire/session.ts';

export type Sessions = ReadonlyMap<string, SessionInfo>;

export const sessions = signal<Sessions>(new Map());
export const sessionsLoaded = signal(false);

/** Ended sessions beyond this number are forgotten, the oldest first: the list of the server has no more of them either. */
const MOST_ENDED = 500;

/** An ended session never runs again, so events and lists may arrive in any order. */
export function withSession(known: Sessions, session: SessionInfo): Sessions {
  const before = known.get(session.id);
  if (before !== undefined && before.status !== 'running' && session.status === 'running') return known;
  return withoutOldEnded(new Map(known).set(session.id, session));
}

/**
 * A loaded list replaces what is known, except for ends that are newer than the list.
 * @param before what was known when the list was asked for: sessions that were reported since are newer than the list
 */
export function withSessions(known: Sessions, list: readonly SessionInfo[], before: Sessions = known): Sessions {
  const next = new Map([...known].filter(([id, session]) => session !== before.get(id)));
  for (const session of list) {
    const newest = next.get(session.id) ?? known.get(session.id);
    const hasEnded = newest !== undefined && newest.status !== 'running' && session.status === 'running';
    next.set(session.id, hasEnded ? newest : session);
  }
  return withoutOldEnded(next);
}

function withoutOldEnded(known: Map<string, SessionInfo>): Sessions {
  if (known.size <= MOST_ENDED) return known;
  const ended = [...known.values()].filter(({ status }) => status !== 'running');
  const byAge = ended.toSorted((a, b) => endOf(a) - endOf(b));
  for (const { id } of byAge.slice(0, Math.max(0, ended.length - MOST_ENDED))) known.delete(id);
  return known;
}

function endOf({ endedAt, startedAt }: SessionInfo): number {
  return endedAt ?? startedAt;
}

export const runningSessions = computed(() =>
  [...sessions.value.values()].filter(({ status }) => status === 'running'),
);
