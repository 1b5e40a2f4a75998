import { OutputLog } from './log/log.ts';
import type { PastSession } from './past-sessions.ts';
import { headerLine } from './recording/cast-lines.ts';
import { Recording } from './recording/recording.ts';
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
  readonly continued?: {
    readonly startedAt: number;
    readonly bytes: number | undefined;
    readonly recording?: PastSession['recording'];
  };
}

const DEFAULT_TERM = 'xterm-256color';

/** A new recording, that of an ended session, or a continued one. Undefined if an ended session was not recorded. */
export function recordingOf(parts: SessionParts, log: OutputLog, startedAt: number): Recording | undefined {
  const { folder, past, continued, start, monotonic, now } = parts;
  const { command, launch, caller } = start;
  const existing = (past ?? continued)?.recording;
  if (launch.pty === undefined || (past !== undefined && existing === undefined)) return undefined;
  const size = launch.pty;
  const earlier = existing && {
    file: existing.file,
    ageMs: now() - existing.writtenAt,
    ...(past === undefined ? { position: log.end } : {}),
  };
  return new Recording(
    {
      folder,
      log,
      cap: parts.maxLogBytes,
      header: () => headerLine({ size, type: launch.env['TERM'] ?? DEFAULT_TERM, startedAt: startedAt, command }),
      room: () => parts.room(caller.agent),
      monotonic,
      startedAt: monotonic() - Math.max(0, now() - startedAt),
    },
    earlier,
  );
}

/** A new log, that of an ended session, or the continued log of a session on another machine. */
export function logOf(parts: SessionParts, resume: () => void, record: () => string): OutputLog {
  const { folder, maxLogBytes, past, continued, start } = parts;
  if (past !== undefined) return past.log;
  const more = { record, room: () => parts.room(start.caller.agent), isCopy: start.node !== undefined };
  return continued?.bytes === undefined
    ? new OutputLog(folder, maxLogBytes, resume, more)
    : OutputLog.continued(continued.bytes, folder, maxLogBytes, resume, more);
}
