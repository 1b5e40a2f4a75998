/**
 * How long finished sessions are kept, agent by agent, so that no agent can displace the output of another. Output that its
 * owner has not read stays for its whole time; where an agent's logs take too much, read sessions go first, and then the
 * middle of its largest log.
 */
import { sessionsFull } from './faults.ts';
import type { KnownSessions } from './known-sessions.ts';
import type { LiveSession } from './session.ts';

export interface RetentionLimits {
  /** How long a finished session is kept. */
  readonly keepMs: number;
  /** How many finished sessions of an agent are kept whose output was read. */
  readonly keepCount: number;
  /** How many finished sessions of an agent may be unread before it can start no more. */
  readonly unreadCount: number;
  /** What all logs of an agent may take on the disk. */
  readonly agentBytes: number;
}

/** A session that ended in the foreground can be asked for a moment longer, by those who learn its id from its answer. */
const PASSING_MS = 60_000;
const PASSING_COUNT = 50;
/** A log that grows asks again after so much, sooner when little is left. */
const LONGEST_STEP = 16 << 20;
const SHORTEST_STEP = 1 << 20;
/** When room is made, so much of the budget becomes free. */
const FREED_SHARE = 1 / 8;

export interface Retention {
  /** Forgets what is too old or too many, of one agent or of all. */
  sweep(agent?: string): void;
  /** How much more an agent's log may grow before it asks again; makes room where the budget is used up. */
  room(agent: string): number;
  /** Refuses a start where the agent leaves too much unread. */
  checkStart(agent: string): void;
}

/** All of its output was told in the answer of its call, and it left no process behind. */
export function isPassing(session: LiveSession): boolean {
  return session.over && !session.backgrounded && !session.exceeded && (session.leftovers ?? []).length === 0;
}

/** Its owner has all of its output. */
function isDone(session: LiveSession): boolean {
  return session.over && (session.isRead || isPassing(session));
}

export function createRetention(
  known: KnownSessions,
  forget: (session: LiveSession) => boolean,
  limits: RetentionLimits,
  monotonic: () => number,
): Retention {
  /** Agents whose logs are being cut. */
  const cutting = new Set<string>();
  const bytesOf = (sessions: readonly LiveSession[]): number =>
    sessions.reduce((sum, { log }) => sum + log.bytesOnDisk, 0);

  function isOld(session: LiveSession): boolean {
    const keepMs = session.keepMs ?? limits.keepMs;
    return monotonic() - session.endedMonotonic >= (isPassing(session) ? Math.min(keepMs, PASSING_MS) : keepMs);
  }

  /** Read sessions first, the oldest of them first; true when that was enough. */
  function forgetRead(agent: string): boolean {
    const all = known.of(agent);
    let excess = bytesOf(all) - limits.agentBytes;
    for (const session of oldestFirst(all.filter(isDone))) {
      if (excess <= 0) break;
      const bytes = session.log.bytesOnDisk;
      if (forget(session)) excess -= bytes;
    }
    return excess <= 0;
  }

  async function cutLargest(agent: string): Promise<void> {
    if (cutting.has(agent)) return;
    cutting.add(agent);
    try {
      const enough = limits.agentBytes * (1 - FREED_SHARE);
      // A log that somebody must get whole is not cut: it takes no more, and its command waits for the reader.
      for (const { log } of known.of(agent)) if (log.isHeld) await log.stopTaking();
      for (let all = known.of(agent); bytesOf(all) > enough; all = known.of(agent)) {
        const cuttable = all.filter(({ log }) => !log.isHeld);
        if (cuttable.length === 0) break;
        const largest = cuttable.reduce((a, b) => (b.log.bytesOnDisk > a.log.bytesOnDisk ? b : a));
        if ((await largest.cut()) === 0) break;
      }
    } finally {
      cutting.delete(agent);
    }
  }

  return {
    sweep(only) {
      for (const agent of only === undefined ? known.agents() : [only]) {
        const own = known.of(agent);
        const ended = own.filter(({ over }) => over);
        if (ended.length === 0 && bytesOf(own) <= limits.agentBytes) continue; // as between the starts of many commands
        for (const session of ended.filter(isOld)) forget(session);
        const left = ended.filter(({ id }) => known.get(id) !== undefined);
        for (const session of surplus(left.filter(isPassing), PASSING_COUNT)) forget(session);
        const read = left.filter((session) => session.isRead && !isPassing(session));
        for (const session of surplus(read, limits.keepCount)) forget(session);
        if (bytesOf(known.of(agent)) > limits.agentBytes && !forgetRead(agent)) void cutLargest(agent);
      }
    },
    room(agent) {
      const left = limits.agentBytes - bytesOf(known.of(agent));
      if (left <= 0 && !forgetRead(agent)) void cutLargest(agent);
      return Math.min(LONGEST_STEP, Math.max(SHORTEST_STEP, Math.floor(left / 8)));
    },
    checkStart(agent) {
      const unread = known.of(agent).filter((session) => session.over && !isDone(session)).length;
      if (unread >= limits.unreadCount) throw sessionsFull(agent, unread);
    },
  };
}

/** The oldest of those that are more than `most`. */
function surplus(sessions: readonly LiveSession[], most: number): readonly LiveSession[] {
  return sessions.length <= most ? [] : oldestFirst(sessions).slice(0, sessions.length - most);
}

function oldestFirst(sessions: readonly LiveSession[]): LiveSession[] {
  return sessions.toSorted((a, b) => a.endedMonotonic - b.endedMonotonic);
}
