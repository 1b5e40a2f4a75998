/** Maps a request to its session, for callers that follow the session while their call waits for its end. */
import { Fault } from '../../base/fault.ts';
import type { Caller, ExecContext } from '../../wire/exec.ts';
import type { SessionInfo } from '../../wire/session.ts';
import type { Session } from '../sessions/shape.ts';

export interface Tickets {
  started(context: ExecContext, session: Session): void;
  /** Resolves when the request with this ticket has started its session. */
  session(caller: Caller, ticket: string, signal?: AbortSignal): Promise<SessionInfo>;
}

/** Only the most recent ones are kept: a caller that follows a session asks immediately. */
const MOST = 1_000;

export function createTickets(): Tickets {
  const known = new Map<string, Session>();
  const waiting = new Map<string, Set<(session: Session) => void>>();
  const nameOf = ({ agent }: Caller, ticket: string) => JSON.stringify([agent, ticket]);

  return {
    started({ caller, ticket }, session) {
      if (ticket === undefined) return;
      const name = nameOf(caller, ticket);
      for (const tell of waiting.get(name) ?? []) tell(session);
      waiting.delete(name);
      known.set(name, session);
      if (known.size > MOST) known.delete(known.keys().next().value!);
    },
    session(caller, ticket, signal) {
      const name = nameOf(caller, ticket);
      const there = known.get(name);
      if (there !== undefined) return Promise.resolve(there.info());
      return new Promise((resolve, reject) => {
        const others = waiting.get(name) ?? new Set();
        const tell = (session: Session): void => {
          signal?.removeEventListener('abort', stop);
          resolve(session.info());
        };
        const stop = (): void => {
          others.delete(tell);
          if (others.size === 0 && waiting.get(name) === others) waiting.delete(name);
          reject(new Fault('TOOL_ABORTED', 'the wait was aborted'));
        };
        if (signal?.aborted === true) return stop();
        waiting.set(name, others.add(tell));
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
  };
}
