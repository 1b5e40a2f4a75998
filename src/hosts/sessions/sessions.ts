import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Caller } from '../../wire/exec.ts';
import type { TerminalSize } from '../../wire/session.ts';
import type { Launcher } from '../process/launch.ts';
import type { Leftovers } from '../process/leftovers.ts';
import { sessionRuns, sessionUnknown, wrongSize } from './faults.ts';
import { KnownSessions } from './known-sessions.ts';
import { freshId } from './names.ts';
import { pastSessions, startOf } from './past.ts';
import { createRetention, isPassing } from './retention.ts';
import { LiveSession, readerOf } from './session.ts';
import type { Sessions, SessionsOptions, SessionStart } from './shape.ts';

const MAX_LOG_BYTES = 2 ** 30;
const AGENT_BYTES = 2 ** 31;
const KEEP_MS = 30 * 60_000;
const KEEP_COUNT = 200;
const UNREAD_COUNT = 2_000;
/** A list shows what runs and so many of those that ended; the others are found by their id. */
const MOST_LISTED = 500;
const LEAST_SWEEP_MS = 30_000;

/** Holds all sessions of one program: starts them, finds them for those who may see them, forgets them in time. */
export function createSessions(launcher: Launcher, options: SessionsOptions): Sessions {
  const { folder, maxLogBytes = MAX_LOG_BYTES, keepMs = KEEP_MS, keepCount = KEEP_COUNT } = options;
  const { agentBytes = AGENT_BYTES, unreadCount = UNREAD_COUNT } = options;
  const { now = Date.now, monotonic = () => performance.now() } = options;
  const known = new KnownSessions();
  const removing = new Set<Promise<void>>();
  let closing = false;

  const parts = {
    maxLogBytes,
    now,
    monotonic,
    onEnd: (ended: LiveSession) => options.onEnd?.(ended.info()),
    room: (agent: string) => retention.room(agent),
  };
  const ready = pastSessions(folder, maxLogBytes).then((found) => {
    for (const past of found) {
      const { id } = past.info;
      known.add(new LiveSession({ ...parts, id, start: startOf(past.info), folder: join(folder, id), past }));
    }
  });
  ready.catch(() => undefined); // whoever waits for it hears it

  const forget = (session: LiveSession) => {
    known.delete(session);
    const removal = session
      .forget()
      .catch(() => undefined) // a log that cannot be removed now is known again at the next start
      .finally(() => removing.delete(removal));
    removing.add(removal);
  };
  const hasLeft = (session: LiveSession) => session.over && (session.leftovers ?? []).length > 0;
  const { look, isClean } = createLook(options.leftovers, () => known.all());
  /** What has left processes behind, or may have, stays known. */
  const forgetClean = (session: LiveSession): boolean => {
    const clean = isClean(session);
    if (clean) forget(session);
    return clean;
  };
  const limits = { keepMs, keepCount, unreadCount, agentBytes };
  const retention = createRetention(known, forgetClean, limits, monotonic);
  const sweeper = setInterval(
    () => {
      look().catch(() => undefined); // a daemon without clients has to know whether it may leave; the next sweep looks again
      retention.sweep();
    },
    Math.max(LEAST_SWEEP_MS, keepMs / 6),
  );
  sweeper.unref();

  const sees = (caller: Caller, session: LiveSession): boolean =>
    caller.operator === true || session.caller.agent === caller.agent;
  const visible = (caller: Caller): LiveSession[] => {
    retention.sweep(caller.operator === true ? undefined : caller.agent);
    return caller.operator === true ? known.all() : known.of(caller.agent);
  };
  const find = (caller: Caller, id: string): LiveSession => {
    const named = known.get(id);
    if (named !== undefined) retention.sweep(named.caller.agent);
    const exact = known.get(id);
    if (exact !== undefined && sees(caller, exact)) return exact;
    const starting = id === '' ? [] : visible(caller).filter((session) => session.id.startsWith(id));
    if (starting.length !== 1)
      throw sessionUnknown(
        id,
        starting.map((session) => session.id),
      );
    return starting[0]!;
  };

  return {
    ready,
    async start(start, starting) {
      await ready;
      if (closing) throw new Fault('EXEC_CLOSING', 'no command is started any more', { hint: 'try again in a moment' });
      const { agent } = start.caller;
      retention.sweep(agent);
      retention.checkStart(agent);
      const id = freshId((candidate) => known.get(candidate) !== undefined);
      const session = new LiveSession({
        ...parts,
        ...(start.maxLogBytes === undefined ? {} : { maxLogBytes: start.maxLogBytes }),
        id,
        start: checked(start),
        folder: join(folder, id),
      });
      known.add(session);
      try {
        starting?.(id);
        await session.run(launcher);
      } catch (error) {
        forget(session);
        throw error;
      }
      retention.sweep(agent);
      return session;
    },
    look,
    list(caller) {
      const newestFirst = visible(caller)
        .filter((session) => !isPassing(session))
        .reverse();
      let ended = 0;
      return newestFirst.filter((session) => !session.over || ++ended <= MOST_LISTED).map((session) => session.info());
    },
    find,
    async endLeftovers(id) {
      await look();
      const session = known.get(id);
      const count = session?.leftovers?.length ?? 0;
      if (count === 0 || session === undefined) return 0;
      await options.leftovers?.end(id);
      session.setLeftovers([]);
      return count;
    },
    poll: async (caller, id, waitMs, signal) => find(caller, id).poll(readerOf(caller), waitMs, signal),
    log: async (caller, id, offset, limit) => find(caller, id).page(readerOf(caller), offset, limit),
    input: async (caller, id, input) => find(caller, id).send(input),
    screen: async (caller, id) => find(caller, id).screen(),
    resize: (caller, id, size) => {
      if (!isSize(size)) throw wrongSize();
      return find(caller, id).resize(size);
    },
    clear(caller, id) {
      const session = find(caller, id);
      if (!session.over || hasLeft(session)) throw sessionRuns(session.id, session.leftovers?.length);
      forget(session);
      return session.info();
    },
    follow: async (caller, id, after, listener, signal) =>
      find(caller, id).follow(readerOf(caller), after, listener, signal),
    get running() {
      return known.all().filter((session) => !session.over).length;
    },
    get withLeftovers() {
      return known.all().filter(hasLeft).length;
    },
    get finished() {
      return known.all().filter((session) => session.over && !isPassing(session)).length;
    },
    async close() {
      closing = true;
      clearInterval(sweeper);
      await ready;
      await look().catch(() => undefined); // the sessions that are known are ended all the same
      const ends = await Promise.allSettled(
        known.all().map(async (session) => {
          if (hasLeft(session)) await options.leftovers?.end(session.id);
          else await session.kill('killed');
        }),
      );
      for (const session of known.all()) forget(session);
      await Promise.all(removing);
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };
}

const LARGEST = 1000;

function isSize({ cols, rows }: TerminalSize): boolean {
  const within = (value: number, least: number) => Number.isInteger(value) && value >= least && value <= LARGEST;
  return within(cols, 2) && within(rows, 1);
}

/** A terminal of a size that no program can be run in is refused before anything is started. */
function checked(start: SessionStart): SessionStart {
  if (start.launch.pty !== undefined && !isSize(start.launch.pty)) throw wrongSize();
  return start;
}

// Looks for processes that ended sessions left behind: when somebody asks, and before a session is forgotten.

interface Look {
  /** Looks at every session that may have left something; nothing is scanned where there is none. */
  readonly look: () => Promise<void>;
  /** Whether a session is known to have left nothing. One that is not known to is looked at soon. */
  readonly isClean: (session: LiveSession) => boolean;
}

/** How often sessions that are to be forgotten are looked at. */
const EVERY_MS = 2_000;

/** Without a source, no session leaves anything. */
function createLook(source: Leftovers | undefined, all: () => Iterable<LiveSession>): Look {
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
