/** Starts what may run, and waits for its end as long as the caller wants to. */
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../../wire/exec.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { LaunchStage } from '../process/launch.ts';
import { binaryAt } from '../process/which.ts';
import type { Session, Sessions, SessionStart } from '../sessions/shape.ts';
import { stagesOf, startedWithin, textOf } from './binding.ts';
import type { Prepared } from './prepare.ts';

/** How much output an answer shows at most; the rest is in the log. */
const ANSWER_CHARS = 200_000;
const TERMINAL = { cols: 120, rows: 30 };
const NOTHING_YET = { text: '', start: 0, end: 0, omitted: 0 };

/** Starts a session for a prepared request; `starting` hears its id before anything runs. */
export async function startSession(
  sessions: Sessions,
  prepared: Prepared,
  starting: (sessionId: string) => void,
  approvalId?: string,
): Promise<Session> {
  const { request, context, settings, effective, cwd, cwdIdentity, env, sandbox } = prepared;
  const { umask } = context;
  const stages = stagesOf(prepared);
  if (!isFilled(stages))
    throw new Fault('EXEC_NO_SHELL', 'there is no shell on this machine to read the command', {
      hint: 'install sh, or set SHELL to one',
    });
  for (const { real, identity } of startedWithin(prepared)) {
    if (textOf(binaryAt(real)?.identity) !== textOf(identity))
      throw new Fault('EXEC_PROGRAM_CHANGED', `${real} is not the program any more that was judged`, {
        hint: 'look at it, and run the command again',
      });
  }
  const pty = request.pty === true && stages.length === 1;
  const start: SessionStart = {
    launch: {
      stages,
      cwd,
      ...(sandbox === undefined ? { cwdIdentity } : { sandbox }),
      env,
      ...(umask === undefined ? {} : { umask }),
      streams: pty ? 'merged' : (context.streams ?? 'merged'),
      // Whoever would have fed an approved command is not there any more.
      stdin: pty ? 'open' : approvalId === undefined ? (context.stdin ?? 'closed') : 'closed',
      ...(pty ? { pty: context.size ?? TERMINAL } : {}),
    },
    caller: context.caller,
    command: request.command,
    host: effective.host,
    ...(sandbox === undefined ? {} : { sandbox: true }),
    timeout: request.timeout ?? settings.timeoutSec,
    maxLogBytes: settings.maxLogBytes,
    keepMs: settings.cleanupMs,
    background: approvalId !== undefined || (request.background === true && context.synchronous !== true),
    ...(context.attached === true && approvalId === undefined ? { attached: true } : {}),
    ...(approvalId === undefined ? {} : { approvalId }),
  };
  return sessions.start(start, starting);
}

/** Waits until the session ends or its time in the foreground is over. An abort ends it. */
export function awaitForeground(session: Session, prepared: Prepared, signal?: AbortSignal): Promise<ExecOutcome> {
  const { request, context, settings } = prepared;
  return awaitSession(session, {
    warnings: [...prepared.warnings, ...session.warnings, ...ptyWarnings(prepared)],
    foregroundMs: foregroundMs(request, context, settings),
    leaveAtOnce: context.attached === true,
    ...(signal === undefined ? {} : { signal }),
  });
}

export interface Waiting {
  readonly warnings: readonly string[];
  /** Undefined waits for the end. */
  readonly foregroundMs: number | undefined;
  /** The caller follows the session itself, from its start on. */
  readonly leaveAtOnce: boolean;
  /** Ends the session. */
  readonly signal?: AbortSignal;
}

/** Waits for a session as long as its caller wants to, and says what has become of it. */
export async function awaitSession(session: Session, waiting: Waiting): Promise<ExecOutcome> {
  const { signal, leaveAtOnce } = waiting;
  const warnings = [...waiting.warnings];
  const stop = () => {
    session.kill('aborted').catch((error: unknown) => warnings.push(messageOf(error)));
  };
  if (signal?.aborted === true) stop();
  if (leaveAtOnce) return { status: session.info().status, session: session.info(), output: NOTHING_YET, warnings };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const info = await session.ended(waiting.foregroundMs);
    if (info.status === 'running') session.background();
    return { status: info.status, session: session.info(), output: session.output(ANSWER_CHARS), warnings };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** How long a call waits for the end of its command; undefined waits for ever. */
export function foregroundMs(
  { background, yieldMs }: Pick<ExecRequest, 'background' | 'yieldMs'>,
  { synchronous, caller }: Pick<ExecContext, 'synchronous' | 'caller'>,
  { backgroundMs }: Pick<ExecSettings, 'backgroundMs'>,
): number | undefined {
  if (synchronous === true) return undefined;
  if (background === true) return 0;
  if (yieldMs === undefined && caller.operator === true) return undefined;
  return Math.min(Math.max(yieldMs ?? backgroundMs, 10), 120_000);
}

function ptyWarnings({ request, context, judgement }: Prepared): readonly string[] {
  const warnings: string[] = [];
  if (request.pty === true && (judgement?.plan?.stages.length ?? 1) > 1)
    warnings.push('pty has no effect: a pipeline that runs without a shell has no terminal');
  if (context.synchronous === true && (request.background === true || request.yieldMs !== undefined))
    warnings.push('background and yieldMs have no effect: the tool process is denied, so the command ran to its end');
  return warnings;
}

function isFilled(stages: readonly LaunchStage[]): stages is readonly [LaunchStage, ...LaunchStage[]] {
  return stages.length > 0;
}
