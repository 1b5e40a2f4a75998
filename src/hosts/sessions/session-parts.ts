import { OutputLog } from './log/log.ts';
import type { PastSession } from './past-sessions.ts';
import type { Session, SessionStart } from './shape.ts';

/** What a session is made from. */
export interface SessionParts {
  readonly id: string;
  readonly start: SessionStart;
  readonly folder: string;
  readonly maxLogBytes: number;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly onEnd: (session: Pick<Session, 'info'>) => void | Promise<void>;
  /** How much the log of this agent may grow before it asks again. */
  readonly room: (agent: string) => number;
  /** Restores an ended session of a dead daemon. */
  readonly past?: PastSession;
  /** Continues a session that runs on another machine: when it started, and how much of its log is on the disk. */
  readonly continued?: { readonly startedAt: number; readonly bytes: number | undefined };
}

/** A new log, that of an ended session, or the continued log of a session on another machine. */
export function logOf(parts: SessionParts, resume: () => void, record: () => string): OutputLog {
  const { folder, maxLogBytes, past, continued, start } = parts;
  if (past !== undefined) return past.log;
  const more = { record, room: () => parts.room(start.caller.agent) };
  return continued?.bytes === undefined
    ? new OutputLog(folder, maxLogBytes, resume, more)
    : OutputLog.continued(continued.bytes, folder, maxLogBytes, resume, more);
}
