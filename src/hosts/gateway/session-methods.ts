/** The methods `session.*` of the gateway, for sessions of all hosts. */
import type { Method, Methods } from '../../wire/methods.ts';
import type { Sessions } from '../sessions/shape.ts';
import { actorOf } from '../../wire/actor.ts';
import type { SessionInfo } from '../../wire/session.ts';
import { type HostParts, noteRunning } from './start-session.ts';

type SessionMethod = Exclude<Extract<Method, `session.${string}`>, 'session.started' | 'session.follow'>;
type SessionHandlers = {
  readonly [M in SessionMethod]: (
    params: Methods[M]['params'],
    signal?: AbortSignal,
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

/** `detached`: the client of an attached session has left it, and it continues. */
export function sessionMethods(
  parts: HostParts,
  sessions: Sessions,
  detached: (sessionId: string) => void,
): SessionHandlers {
  return {
    'session.list': async ({ caller }) => {
      await sessions.findLeftovers();
      return sessions.list(caller);
    },
    'session.poll': ({ caller, sessionId, waitMs }, signal) => sessions.poll(caller, sessionId, waitMs ?? 0, signal),
    'session.log': ({ caller, sessionId, offset, limit }) => sessions.log(caller, sessionId, offset, limit),
    'session.input': ({ caller, sessionId, input, typist }) => sessions.input(caller, sessionId, input, typist),
    'session.control': ({ caller, sessionId, take, typist, by }) => {
      if (!take) {
        const { isReleased, session } = sessions.release(caller, sessionId, typist);
        if (isReleased) auditControl(parts, session, by, 'released');
        return { ok: true, session };
      }
      const { isTaken, isNew, session } = sessions.control(caller, sessionId, typist, by);
      const { controller } = session;
      if (isTaken || controller === undefined) {
        if (isNew) auditControl(parts, session, by, 'taken');
        return { ok: true, session };
      }
      const message = `${controller.by} has the control of session ${session.id}`;
      return { ok: false, reason: 'taken', controller, message };
    },
    'session.recording': ({ caller, sessionId, from, maxBytes }) =>
      sessions.recording(caller, sessionId, from, maxBytes),
    'session.processes': ({ caller, sessionId }) => sessions.processes(caller, sessionId),
    'session.interrupt': async ({ caller, sessionId }) => {
      const session = sessions.find(caller, sessionId);
      await session.interrupt();
      return session.info();
    },
    'session.kill': async ({ caller, sessionId }) => {
      const session = sessions.find(caller, sessionId);
      if (session.info().status === 'running') {
        await session.kill('killed');
        return session.info();
      }
      const endedLeftovers = await sessions.endLeftovers(session.id);
      return { ...session.info(), ...(endedLeftovers === 0 ? {} : { endedLeftovers }) };
    },
    'session.background': ({ caller, sessionId }) => {
      const session = sessions.find(caller, sessionId);
      session.background();
      detached(session.id);
      const info = session.info();
      noteRunning(parts, info, true); // from now on a client waits for the notice of its end
      return info;
    },
    'session.clear': async ({ caller, sessionId }) => {
      await sessions.findLeftovers();
      return sessions.clear(caller, sessionId);
    },
    'session.screen': ({ caller, sessionId }) => sessions.screen(caller, sessionId),
    'session.resize': ({ caller, sessionId, size, typist }) => sessions.resize(caller, sessionId, size, typist),
    'session.wait': ({ caller, sessionId, waitMs }, signal) => sessions.find(caller, sessionId).ended(waitMs, signal),
  };
}

function auditControl({ store }: HostParts, session: SessionInfo, by: string, action: 'taken' | 'released'): void {
  store.audit({ event: 'control', ...actorOf(session), sessionId: session.id, by, details: { action } });
}
