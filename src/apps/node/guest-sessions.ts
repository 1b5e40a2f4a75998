/** The sessions that a gateway started on this node. Other sessions do not exist for it. */
import { Fault } from '../../base/fault.ts';
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import type { Caller } from '../../wire/exec.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { FollowEvent, FollowListener, SessionInfo } from '../../wire/session.ts';
import { AttachedSessions } from './attached-sessions.ts';
import { isGuestOf } from './guest.ts';

export interface GuestSessions {
  /** Undefined for a session of another gateway or of this machine. */
  find(sessionId: string, gateway: string): Promise<SessionInfo | undefined>;
  /** As `find`, with a fault instead of undefined, or where the session has another start. */
  get(sessionId: string, gateway: string, startedAt?: number): Promise<SessionInfo>;
  /** Sends the log from a position, at the speed of the gateway, until the session ends or the call is cancelled. */
  follow(session: SessionInfo, after: number, call: IncomingCall): Promise<SessionInfo>;
  /** It ends when no call has followed it for a while. */
  attach(session: SessionInfo): void;
  /** `onLong`: it runs for longer than a moment, and is on the disk. */
  whenEnded(session: SessionInfo, onLong: () => void): Promise<SessionInfo>;
  /** Ends all sessions of a gateway. */
  endAll(gateway: string): Promise<void>;
  close(): void;
}

export interface GuestSessionsOptions {
  /** The gateway of this machine, which judges and runs. */
  readonly local: Gateway;
  readonly log: (text: string) => void;
  /** An attached session ends this long after its last follower has left (default: 30 s). */
  readonly attachedMs?: number;
}

/** The caller that sees all sessions of this machine. */
const OPERATOR: Caller = { agent: '', operator: true };
const ATTACHED_MS = 30_000;
const WAIT_MS = 3_600_000;
/** A session that runs for longer is on the disk. */
const SHORT_MS = 1_000;

export function createGuestSessions({ local, log, attachedMs = ATTACHED_MS }: GuestSessionsOptions): GuestSessions {
  const attached = new AttachedSessions(attachedMs, (sessionId) => {
    local.call('session.kill', { caller: OPERATOR, sessionId }).catch((error: unknown) => {
      if (!(error instanceof Fault)) log(`ending ${sessionId} failed: ${String(error)}`); // a fault: it has already ended
    });
  });

  /** The gateway may come back for its log after this process has ended. */
  const keepOnDisk = async (sessionId: string, agent: string): Promise<void> => {
    await local.call('session.background', { caller: { agent }, sessionId }).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error; // a fault: it was removed
    });
  };

  async function find(sessionId: string, gateway: string): Promise<SessionInfo | undefined> {
    const session = await local
      .call('session.wait', { caller: OPERATOR, sessionId, waitMs: 0 })
      .catch((error: unknown) => {
        if (error instanceof Fault) return undefined; // its hint may name sessions of others
        throw error;
      });
    return session?.id === sessionId && isGuestOf(session.agent, gateway) ? session : undefined;
  }

  return {
    find,
    async get(sessionId, gateway, startedAt) {
      const session = await find(sessionId, gateway);
      if (session !== undefined && (startedAt ?? session.startedAt) === session.startedAt) return session;
      throw new Fault('EXEC_SESSION_UNKNOWN', `the node has no session ${JSON.stringify(sessionId)} of this gateway`, {
        hint: 'it has ended and was removed, or the node was restarted',
      });
    },
    async follow({ id: sessionId, agent }, after, call) {
      attached.follow(sessionId);
      try {
        const send: FollowListener = (event, release) => sendEvent(call, event, release);
        const session = await local.follow({ caller: { agent }, sessionId, after }, send, call.signal);
        if (session.status !== 'running') attached.delete(sessionId);
        if (call.signal.aborted && !attached.has(sessionId)) await keepOnDisk(sessionId, agent);
        return session;
      } finally {
        attached.unfollow(sessionId);
      }
    },
    attach({ id, status }) {
      if (status === 'running') attached.add(id);
    },
    async whenEnded(session, onLong) {
      const { id: sessionId, agent } = session;
      const wait = (waitMs: number): Promise<SessionInfo> =>
        local.call('session.wait', { caller: { agent }, sessionId, waitMs });
      let info = session.status === 'running' ? await wait(SHORT_MS) : session;
      if (info.status === 'running') {
        if (!attached.has(sessionId)) await keepOnDisk(sessionId, agent);
        onLong();
      }
      while (info.status === 'running') info = await wait(WAIT_MS);
      return info;
    },
    async endAll(gateway) {
      const all = await local.call('session.list', { caller: OPERATOR });
      const own = all.filter(({ agent, status }) => status === 'running' && isGuestOf(agent, gateway));
      await Promise.allSettled(own.map(({ id }) => local.call('session.kill', { caller: OPERATOR, sessionId: id })));
    },
    close: () => attached.close(),
  };
}

/** A slow gateway receives nothing until it has caught up; the log keeps the rest. */
function sendEvent(call: IncomingCall, event: FollowEvent, release?: () => void): Promise<void> | undefined {
  if (event.type === 'output') call.log(event, release);
  else if (event.type === 'gap') call.event({ type: 'gap', start: event.start, bytes: event.bytes });
  return event.type === 'end' ? undefined : call.room();
}
