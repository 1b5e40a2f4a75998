import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Caller } from '../../wire/exec.ts';
import type { TerminalSize } from '../../wire/session.ts';
import type { Launcher } from '../process/launch.ts';
import { sessionRuns, sessionUnknown, wrongSize } from './faults.ts';
import { freshId } from './names.ts';
import { pastSessions, startOf } from './past.ts';
import { LiveSession } from './session.ts';
import type { Sessions, SessionsOptions, SessionStart } from './shape.ts';

const MAX_LOG_BYTES = 2 ** 30;
const KEEP_MS = 30 * 60_000;
const KEEP_COUNT = 50;
/** All finished sessions together keep as much on the disk as so many of the longest logs. */
const KEEP_LOGS = 4;
/** A session that ended in the foreground can be asked for a moment longer, by those who learn its id from its answer. */
const PASSING_MS = 60_000;
const LEAST_SWEEP_MS = 30_000;

/** Holds all sessions of one program: starts them, finds them for those who may see them, forgets them in time. */
export function createSessions(launcher: Launcher, options: SessionsOptions): Sessions {
  const { folder, maxLogBytes = MAX_LOG_BYTES, keepMs = KEEP_MS, keepCount = KEEP_COUNT } = options;
  const { now = Date.now, monotonic = () => performance.now() } = options;
  const known = new Map<string, LiveSession>();
  const removing = new Set<Promise<void>>();
  let closing = false;

  const parts = { maxLogBytes, now, monotonic, onEnd: (ended: LiveSession) => options.onEnd?.(ended.info()) };
  const ready = pastSessions(folder, maxLogBytes).then((found) => {
    for (const past of found) {
      const { id } = past.info;
      known.set(id, new LiveSession({ ...parts, id, start: startOf(past.info), folder: join(folder, id), past }));
    }
  });
  ready.catch(() => undefined); // whoever waits for it hears it

  const forget = (session: LiveSession) => {
    known.delete(session.id);
    const removal = session
      .forget()
      .catch(() => undefined) // a log that cannot be removed now is known again at the next start
      .finally(() => removing.delete(removal));
    removing.add(removal);
  };
  const isKept = (session: LiveSession) => session.over && (session.backgrounded || session.exceeded);
  const isPassing = (session: LiveSession) => session.over && !session.backgrounded && !session.exceeded;

  const sweep = () => {
    const pools: [LiveSession[], number][] = [
      [[...known.values()].filter(isKept), Number.POSITIVE_INFINITY],
      [[...known.values()].filter(isPassing), PASSING_MS],
    ];
    for (const [pool, mostMs] of pools) {
      const newestFirst = pool.sort((a, b) => b.endedMonotonic - a.endedMonotonic);
      let bytes = 0;
      newestFirst.forEach((session, index) => {
        bytes += Math.min(session.log.end, maxLogBytes);
        const isOld = monotonic() - session.endedMonotonic >= Math.min(session.keepMs ?? keepMs, mostMs);
        if (isOld || index >= keepCount || (index > 0 && bytes > KEEP_LOGS * maxLogBytes)) forget(session);
      });
    }
  };
  const sweeper = setInterval(sweep, Math.max(LEAST_SWEEP_MS, keepMs / 6));
  sweeper.unref();

  const visible = (caller: Caller) => {
    sweep();
    return [...known.values()].filter((session) => caller.operator === true || session.caller.agent === caller.agent);
  };
  const find = (caller: Caller, id: string): LiveSession => {
    const mine = visible(caller);
    const exact = mine.find((session) => session.id === id);
    if (exact !== undefined) return exact;
    const starting = id === '' ? [] : mine.filter((session) => session.id.startsWith(id));
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
      const id = freshId((candidate) => known.has(candidate));
      const session = new LiveSession({
        ...parts,
        ...(start.maxLogBytes === undefined ? {} : { maxLogBytes: start.maxLogBytes }),
        id,
        start: checked(start),
        folder: join(folder, id),
      });
      known.set(id, session);
      try {
        starting?.(id);
        await session.run(launcher);
      } catch (error) {
        forget(session);
        throw error;
      }
      sweep();
      return session;
    },
    list: (caller) =>
      visible(caller)
        .filter((session) => !isPassing(session))
        .reverse()
        .map((session) => session.info()),
    find,
    poll: async (caller, id, waitMs, signal) =>
      find(caller, id).poll(caller.operator === true ? 'operator' : 'agent', waitMs, signal),
    log: async (caller, id, offset, limit) => find(caller, id).page(offset, limit),
    input: async (caller, id, input) => find(caller, id).send(input),
    screen: async (caller, id) => find(caller, id).screen(),
    resize: (caller, id, size) => {
      if (!isSize(size)) throw wrongSize();
      return find(caller, id).resize(size);
    },
    clear(caller, id) {
      const session = find(caller, id);
      if (!session.over) throw sessionRuns(session.id);
      forget(session);
      return session.info();
    },
    follow: async (caller, id, after, listener, signal) => find(caller, id).follow(after, listener, signal),
    get running() {
      return [...known.values()].filter((session) => !session.over).length;
    },
    get finished() {
      return [...known.values()].filter(isKept).length;
    },
    async close() {
      closing = true;
      clearInterval(sweeper);
      await ready;
      const ends = await Promise.allSettled([...known.values()].map((session) => session.kill('killed')));
      for (const session of known.values()) forget(session);
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
