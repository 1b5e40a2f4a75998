import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Caller } from '../../wire/exec.ts';
import type { TerminalSize } from '../../wire/session.ts';
import { noTerminal, notRecorded, sessionEnded, sessionRuns, sessionUnknown, wrongSize } from './faults.ts';
import { KnownSessions } from './known-sessions.ts';
import { freshId } from './names.ts';
import { createLeftoverSearch } from './leftover-search.ts';
import { type PastSession, pastSessions, startOf } from './past-sessions.ts';
import { createRetention, isDelivered } from './retention.ts';
import { readerOf } from './read-state.ts';
import { sessionProcesses } from './session-processes.ts';
import { LiveSession } from './session.ts';
import type { Sessions, SessionsOptions, SessionStart } from './shape.ts';

const MAX_LOG_BYTES = 2 ** 30;
const AGENT_BYTES = 2 ** 31;
const KEEP_MS = 30 * 60_000;
const KEEP_COUNT = 200;
const UNREAD_COUNT = 2_000;
/** A list has the running sessions and this many ended ones; the others are found by id. */
const MOST_LISTED = 500;
const LEAST_SWEEP_MS = 30_000;

/** All sessions of one process: starts them, finds those that a caller may see, and removes them in time. */
export function createSessions(options: SessionsOptions): Sessions {
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
    onEnd: (ended: Pick<LiveSession, 'info'>) => options.onEnd?.(ended.info()),
    room: (agent: string) => retention.room(agent),
  };
  const continuing = new Set(options.continuing);
  /** Sessions that run on other machines, until `adopt` continues them. */
  const left = new Map<string, PastSession>();
  const ready = pastSessions(folder, maxLogBytes).then(async (found) => {
    for (const past of found) {
      const { id, status, node } = past.info;
      const isLeft = status === 'running' && node !== undefined;
      if (isLeft && continuing.has(id)) left.set(id, past);
      // The node had not accepted it when the daemon died, so no client knows it.
      else if (isLeft && past.log.end === 0) await past.log.remove();
      else known.add(new LiveSession({ ...parts, id, start: startOf(past.info), folder: join(folder, id), past }));
    }
    // Another session may get the id of one that has left nothing.
    const recorded = new Set(found.map(({ info }) => info.id));
    for (const id of continuing) if (!recorded.has(id)) continuing.delete(id);
  });
  ready.catch(() => undefined); // callers that await `ready` get the error

  const forget = (session: LiveSession) => {
    known.delete(session);
    const removal = session.disk
      .remove()
      .catch(() => undefined) // the next start finds the log again
      .finally(() => removing.delete(removal));
    removing.add(removal);
  };
  const hasLeftovers = (session: LiveSession) => session.hasEnded && (session.leftovers ?? []).length > 0;
  const { search: findLeftovers, isClean } = createLeftoverSearch(options.leftovers, () => known.all());
  /** Keeps sessions that have leftover processes, or may have. */
  const forgetClean = (session: LiveSession): boolean => {
    const clean = isClean(session);
    if (clean) forget(session);
    return clean;
  };
  const limits = { keepMs, keepCount, unreadCount, agentBytes };
  const retention = createRetention(known, forgetClean, limits, monotonic);
  const sweeper = setInterval(
    () => {
      findLeftovers().catch(() => undefined); // an idle daemon must know whether it may exit; the next sweep tries again
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
    if (named !== undefined) retention.expire(named);
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

  const isFree = (id: string): boolean => known.get(id) === undefined && !left.has(id);
  const freeId = (wanted: string): string => (isFree(wanted) ? wanted : freshId((candidate) => !isFree(candidate)));

  function checkOpen(): void {
    if (!closing) return;
    throw new Fault('EXEC_CLOSING', 'the daemon is stopping and starts no commands', { hint: 'try again in a moment' });
  }

  return {
    ready,
    async adopt({ id: wanted, startedAt, start, runner, starting }) {
      await ready;
      checkOpen();
      const recorded = known.get(wanted);
      if (continuing.delete(wanted) && recorded !== undefined) {
        starting?.(wanted);
        return recorded; // it had ended
      }
      const past = left.get(wanted);
      const id = recorded === undefined ? wanted : freeId(wanted);
      const session = new LiveSession({
        ...parts,
        ...(start.maxLogBytes === undefined ? {} : { maxLogBytes: start.maxLogBytes }),
        id,
        start,
        folder: join(folder, id),
        continued: {
          startedAt: past?.info.startedAt ?? startedAt,
          bytes: past?.log.end,
          ...(past?.recording === undefined ? {} : { recording: past.recording }),
        },
      });
      left.delete(wanted);
      known.add(session);
      try {
        starting?.(id);
        await session.run(runner(session.log.end));
      } catch (error) {
        known.delete(session);
        throw error;
      }
      return session;
    },
    freeId,
    async discard(id) {
      await ready;
      const past = left.get(id);
      if (!left.delete(id)) return;
      continuing.delete(id);
      await past?.log.remove();
    },
    async start(start, runner, starting) {
      await ready;
      checkOpen();
      const { agent } = start.caller;
      retention.sweep(agent);
      retention.checkStart(agent);
      const id = freshId((candidate) => !isFree(candidate));
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
        await session.run(runner);
      } catch (error) {
        forget(session);
        throw error;
      }
      return session;
    },
    findLeftovers,
    list(caller) {
      const newestFirst = visible(caller)
        .filter((session) => !isDelivered(session))
        .reverse();
      let ended = 0;
      return newestFirst
        .filter((session) => !session.hasEnded || ++ended <= MOST_LISTED)
        .map((session) => session.info());
    },
    find,
    async endLeftovers(id) {
      await findLeftovers();
      const session = known.get(id);
      const count = session?.leftovers?.length ?? 0;
      if (count === 0 || session === undefined) return 0;
      await options.leftovers?.end(id);
      session.setLeftovers([]);
      return count;
    },
    poll: async (caller, id, waitMs, signal) => find(caller, id).poll(readerOf(caller), waitMs, signal),
    log: async (caller, id, offset, limit) => find(caller, id).page(readerOf(caller), offset, limit),
    async input(caller, id, input, typist) {
      const session = find(caller, id);
      session.control.check(typist);
      return session.send(input, typist === undefined ? (caller.operator === true ? 'operator' : 'agent') : 'page');
    },
    async screen(caller, id) {
      const session = find(caller, id);
      const screen = await session.terminal.screen();
      return { session: session.info(), ...screen };
    },
    async recording(caller, id, from, maxBytes) {
      const session = find(caller, id);
      const page = await session.terminal.recording(from, maxBytes);
      if (page === undefined) throw notRecorded(session.id);
      return page;
    },
    control: (caller, id, typist, by) => {
      const session = find(caller, id);
      if (session.hasEnded) throw sessionEnded(session.id);
      const isNew = session.control.controller === undefined;
      return { isTaken: session.control.take(typist, by), isNew, session: session.info() };
    },
    release: (caller, id, typist) => {
      const session = find(caller, id);
      return { isReleased: session.control.release(typist), session: session.info() };
    },
    async processes(caller, id) {
      const session = find(caller, id);
      const { pid, sandbox, node } = session.info();
      if (sandbox === true) return { processes: [], unavailable: 'its processes run in a sandbox' };
      if (node !== undefined) return sessionProcesses((await session.launched?.processes?.()) ?? { processes: [] });
      const roots = pid === undefined || session.hasEnded ? [] : [pid];
      return sessionProcesses({ processes: (await options.leftovers?.tree(session.id, roots)) ?? [] });
    },
    resize: (caller, id, size, typist) => {
      if (!isSize(size)) throw wrongSize();
      const session = find(caller, id);
      session.control.check(typist);
      const { terminal, launched } = session;
      if (launched === undefined) throw noTerminal(session.id);
      if (session.hasEnded) throw sessionEnded(session.id);
      launched.resize(size);
      terminal.resize(size);
      return session.info();
    },
    clear(caller, id) {
      const session = find(caller, id);
      if (!session.hasEnded || hasLeftovers(session)) throw sessionRuns(session.id, session.leftovers?.length);
      forget(session);
      return session.info();
    },
    follow: async (caller, id, after, listener, signal) =>
      find(caller, id).follow(readerOf(caller), after, listener, signal),
    get running() {
      return known.all().filter((session) => !session.hasEnded).length;
    },
    get continuing() {
      return known.all().filter((session) => session.canDetach && !session.isAttached).length;
    },
    get withLeftovers() {
      return known.all().filter(hasLeftovers).length;
    },
    get finished() {
      return known.all().filter((session) => session.hasEnded && !isDelivered(session)).length;
    },
    async close() {
      closing = true;
      clearInterval(sweeper);
      await ready;
      await findLeftovers().catch(() => undefined); // the known sessions are ended anyway
      const ends = await Promise.allSettled(
        known.all().map(async (session) => {
          if (hasLeftovers(session)) await options.leftovers?.end(session.id);
          else if (session.canDetach && !session.isAttached) await session.detach();
          else await endOrLeave(session);
        }),
      );
      await Promise.all(known.all().map(({ reported }) => reported));
      for (const session of known.all())
        if (!session.isDetached && options.isUnreported?.(session.id) !== true) forget(session);
      await Promise.all(removing);
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };
}

/** A node that is not connected ends the command later. */
async function endOrLeave(session: LiveSession): Promise<void> {
  try {
    await session.kill('killed');
  } catch (error) {
    if (!session.canDetach) throw error;
  }
  if (session.canDetach) await session.detach();
}

const LARGEST = 1000;

function isSize({ cols, rows }: TerminalSize): boolean {
  const within = (value: number, least: number) => Number.isInteger(value) && value >= least && value <= LARGEST;
  return within(cols, 2) && within(rows, 1);
}

/** Refuses an impossible terminal size before anything starts. */
function checked(start: SessionStart): SessionStart {
  if (start.launch.pty !== undefined && !isSize(start.launch.pty)) throw wrongSize();
  return start;
}
