import { actorOf } from '../../wire/actor.ts';
import type { Leftover, SessionFailure, SessionInfo, TerminalSize } from '../../wire/session.ts';
import type { Controller, LastInput } from '../../wire/sessions/typing.ts';
import type { Exit, Launched } from '../process/launch.ts';
import type { OutputLog } from './log/log.ts';
import { newestText } from './log/slices.ts';
import type { SessionStart } from './shape.ts';

/** What a session knows about itself. */
export interface SessionState {
  readonly id: string;
  readonly start: SessionStart;
  readonly name: string;
  readonly log: OutputLog;
  readonly launched: Launched | undefined;
  readonly size: TerminalSize | undefined;
  readonly isRecorded: boolean;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly exit: Exit | undefined;
  readonly failure: SessionFailure | undefined;
  readonly backgrounded: boolean;
  readonly input: { readonly isOpen: boolean; readonly last: LastInput | undefined };
  readonly controller: Controller | undefined;
  readonly waitingForInput: boolean;
  readonly lastOutputAt: number;
  /** An earlier daemon dropped a part of the log. */
  readonly isTruncated: boolean;
  readonly leftovers: readonly Leftover[];
}

const TAIL_CHARS = 2000;

/** A session as its callers see it. */
export function sessionInfoOf(session: SessionState): SessionInfo {
  const { id, start, name, log, exit, failure, size, endedAt, leftovers } = session;
  const { gap, end } = log;
  const { pid = 0, cwd = start.launch.cwd, unreachableSince }: Partial<Launched> = session.launched ?? {};
  const message = exit?.kind === 'failed' || exit?.kind === 'lost' ? exit.message : undefined;
  const note = failure === 'timeout' ? String(start.timeout) : message;
  return {
    id,
    ...actorOf(start.caller),
    command: start.command,
    ...(start.masked === true ? { masked: true as const } : {}),
    name,
    cwd,
    host: start.host,
    ...(start.node === undefined ? {} : { node: start.node }),
    ...(unreachableSince === undefined || exit !== undefined ? {} : { unreachableSince }),
    ...(start.sandbox === true ? { sandbox: true as const } : {}),
    status: exit === undefined ? 'running' : failure === undefined && exit.kind === 'code' ? 'completed' : 'failed',
    ...(pid > 0 ? { pid } : {}),
    ...(size === undefined ? {} : { pty: size }),
    ...(session.isRecorded ? { recorded: true as const } : {}),
    startedAt: session.startedAt,
    ...(start.timeout > 0 ? { timeoutSec: start.timeout } : {}),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(exit?.kind === 'code' ? { exitCode: exit.code } : {}),
    ...(exit?.kind === 'signal' ? { exitSignal: exit.signal } : {}),
    ...(exit?.obeyed === undefined ? {} : { obeyed: exit.obeyed }),
    ...(exit === undefined || failure === undefined ? {} : { failure }),
    ...(exit === undefined || note === undefined ? {} : { failureNote: note }),
    backgrounded: session.backgrounded,
    stdinOpen: session.input.isOpen,
    waitingForInput: session.waitingForInput,
    ...(end === 0 ? {} : { lastOutputAt: session.lastOutputAt }),
    bytes: end,
    truncated: gap.end > gap.start || session.isTruncated,
    tail: newestText(log, 0, TAIL_CHARS, true).text,
    ...(start.approvalId === undefined ? {} : { approvalId: start.approvalId }),
    ...(session.input.last === undefined ? {} : { lastInput: session.input.last }),
    ...(session.controller === undefined || exit !== undefined ? {} : { controller: session.controller }),
    ...(leftovers.length === 0 ? {} : { leftovers }),
  };
}

/** Why a session failed. `own`: why this process ended it. A command on a node may have ended by itself before its kill arrived. */
export function failureOf(exit: Exit, own: SessionFailure | undefined, isOnNode: boolean): SessionFailure | undefined {
  if (exit.kind === 'failed') return 'spawn-failed';
  if (exit.kind === 'lost') return own ?? 'lost';
  return isOnNode && exit.kind === 'code' && exit.failure === undefined ? undefined : (own ?? exit.failure);
}
