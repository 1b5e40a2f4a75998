/**
 * How long finished sessions are kept, per agent, so that no agent displaces the output of another. Output that its owner has
 * not read stays for its whole time. If the logs of an agent are too large, read sessions are removed first, and then the
 * middle of its largest log.
 */
import { sessionsFull } from './faults.ts';
import type { KnownSessions } from './known-sessions.ts';
import type { LiveSession } from './session.ts';

export interface RetentionLimits {
  readonly keepMs: number;
  /** How many finished and read sessions of an agent are kept. */
  readonly keepCount: number;
  /** With this many unread finished sessions an agent cannot start more. */
  readonly unreadCount: number;
  /** The limit for all logs of an agent on disk. */
  readonly agentBytes: number;
}

/** A delivered session stays a little longer for clients that learn its id from the result. */
const DELIVERED_MS = 60_000;
const DELIVERED_COUNT = 50;
/** A growing log asks for more room after this many bytes, and earlier if little is left. */
const LONGEST_STEP = 16 << 20;
const SHORTEST_STEP = 1 << 20;
/** The share of the limit that is free after a cut. */
const FREED_SHARE = 1 / 8;

export interface Retention {
  /** Removes sessions that are too old or too many, of one agent or of all. */
  sweep(agent?: string): void;
  /** Removes the session if it is too old. */
  expire(session: LiveSession): void;
  /** How much an agent's log may grow before it asks again; frees space if the limit is reached. */
  room(agent: string): number;
  /** Throws if the agent has too many unread sessions. */
  checkStart(agent: string): void;
}

/** Whether the result of its call had all of its output, and it left no process behind. */
export function isDelivered(session: LiveSession): boolean {
  return session.hasEnded && !session.backgrounded && !session.exceeded && (session.leftovers ?? []).length === 0;
}

function isDone(session: LiveSession): boolean {
  return session.hasEnded && (session.isRead || isDelivered(session));
}

export function createRetention(
  known: KnownSessions,
  forget: (session: LiveSession) => boolean,
  limits: RetentionLimits,
  monotonic: () => number,
): Retention {
  /** Agents whose logs are being cut now. */
  const cutting = new Set<string>();
  const bytesOf = (sessions: readonly LiveSession[]): number => sessions.reduce((sum, { disk }) => sum + disk.bytes, 0);

  function isOld(session: LiveSession, now: number): boolean {
    const keepMs = session.keepMs ?? limits.keepMs;
    return now - session.endedMonotonic >= (isDelivered(session) ? Math.min(keepMs, DELIVERED_MS) : keepMs);
  }

  /** Removes read sessions, the oldest first; true if that freed enough. */
  function forgetRead(agent: string): boolean {
    const all = known.of(agent);
    let excess = bytesOf(all) - limits.agentBytes;
    for (const session of oldestFirst(all.filter(isDone))) {
      if (excess <= 0) break;
      const bytes = session.disk.bytes;
      if (forget(session)) excess -= bytes;
    }
    return excess <= 0;
  }

  async function cutLargest(agent: string): Promise<void> {
    if (cutting.has(agent)) return;
    cutting.add(agent);
    try {
      const enough = limits.agentBytes * (1 - FREED_SHARE);
      // A log with a reader that must get every byte is not cut. It takes no more, and its command waits for the reader.
      for (const session of known.of(agent)) if (session.log.isRetained) await session.disk.stopTaking();
      for (let all = known.of(agent); bytesOf(all) > enough; all = known.of(agent)) {
        const cuttable = all.filter(({ log }) => !log.isRetained);
        if (cuttable.length === 0) break;
        const largest = cuttable.reduce((a, b) => (b.disk.bytes > a.disk.bytes ? b : a));
        if ((await largest.disk.cut(largest.hasEnded)) === 0) break;
      }
    } finally {
      cutting.delete(agent);
    }
  }

  return {
    sweep(only) {
      const now = monotonic();
      for (const agent of only === undefined ? known.agents() : [only]) {
        const delivered: LiveSession[] = [];
        const read: LiveSession[] = [];
        for (const session of known.of(agent)) {
          if (!session.hasEnded || (isOld(session, now) && forget(session))) continue;
          if (isDelivered(session)) delivered.push(session);
          else if (session.isRead) read.push(session);
        }
        for (const session of surplus(delivered, DELIVERED_COUNT)) forget(session);
        for (const session of surplus(read, limits.keepCount)) forget(session);
        if (bytesOf(known.of(agent)) > limits.agentBytes && !forgetRead(agent)) void cutLargest(agent);
      }
    },
    expire(session) {
      if (session.hasEnded && isOld(session, monotonic())) forget(session);
    },
    room(agent) {
      const left = limits.agentBytes - bytesOf(known.of(agent));
      if (left <= 0 && !forgetRead(agent)) void cutLargest(agent);
      return Math.min(LONGEST_STEP, Math.max(SHORTEST_STEP, Math.floor(left / 8)));
    },
    checkStart(agent) {
      const unread = known.of(agent).filter((session) => session.hasEnded && !isDone(session)).length;
      if (unread >= limits.unreadCount) throw sessionsFull(agent, unread);
    },
  };
}

/** The oldest sessions beyond `most`. */
function surplus(sessions: readonly LiveSession[], most: number): readonly LiveSession[] {
  return sessions.length <= most ? [] : oldestFirst(sessions).slice(0, sessions.length - most);
}

function oldestFirst(sessions: readonly LiveSession[]): LiveSession[] {
  return sessions.toSorted((a, b) => a.endedMonotonic - b.endedMonotonic);
}
