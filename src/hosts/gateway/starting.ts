/** Starts what may run on any host, and waits for its end as long as the caller wants to. */
import { messageOf } from '../../base/message-of.ts';
import { actorOf } from '../../wire/actor.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { SessionInfo } from '../../wire/session.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { ApprovalStore, NotedSession } from '../approvals/shape.ts';
import type { Launcher, LaunchStage } from '../process/launch.ts';
import { startTimeOf } from '../process/start-time.ts';
import type { Session, Sessions } from '../sessions/shape.ts';
import type { Ready } from './prepare.ts';

/** How much output an answer shows at most; the rest is in the log. */
const ANSWER_CHARS = 200_000;
const TERMINAL = { cols: 120, rows: 30 };
const NOTHING_YET = { text: '', start: 0, end: 0, omitted: 0 };

/** What all hosts share: the registry of sessions, the records, and whoever waits for a session. */
export interface HostParts {
  readonly sessions: Pick<Sessions, 'start'>;
  readonly store: Pick<ApprovalStore, 'audit' | 'flush' | 'noteSession'>;
  readonly onStarted: (session: Session, ready: Ready) => void;
  /** A record that could not be written. */
  readonly onTrouble: (error: unknown) => void;
}

/** How one host starts a request. */
export interface Start {
  readonly runner: Pick<Launcher, 'launch'>;
  readonly stages: readonly [LaunchStage, ...LaunchStage[]];
  /** `dev:ino` of the working folder, where the host checks it. */
  readonly cwdIdentity?: string;
  /** It runs in a sandbox. */
  readonly isInside?: true;
  /** What was decided about it; absent where policy is not consulted. */
  readonly judgement?: Judgement | undefined;
  readonly approvalId?: string | undefined;
}

/** Starts a session for a request; its line in the audit log is written before anything runs. */
export async function startSession(parts: HostParts, ready: Ready, start: Start): Promise<Session> {
  const { request, context, settings, effective, cwd, env } = ready;
  const { runner, stages, cwdIdentity, isInside, judgement, approvalId } = start;
  const { store } = parts;
  const pty = hasTerminal(request, start);
  const sandbox = isInside === undefined ? {} : { sandbox: isInside };
  const noteStart = (sessionId: string): void => {
    store.audit({
      event: 'started',
      ...actorOf(context.caller),
      ...(approvalId === undefined ? {} : { approvalId }),
      sessionId,
      command: request.command,
      details: {
        cwd,
        host: effective.host,
        ...sandbox,
        ...judgedAs(ready, judgement),
        env: Object.keys(request.env ?? {}),
      },
    });
    // A command that was judged must not be able to end this process before its line is on the disk.
    if (judgement !== undefined) store.flush();
  };
  const session = await parts.sessions.start(
    {
      launch: {
        stages,
        cwd,
        ...(cwdIdentity === undefined ? {} : { cwdIdentity }),
        env,
        ...(context.umask === undefined ? {} : { umask: context.umask }),
        streams: pty ? 'merged' : (context.streams ?? 'merged'),
        // Whoever would have fed an approved command is not there any more.
        stdin: pty ? 'open' : approvalId === undefined ? (context.stdin ?? 'closed') : 'closed',
        ...(pty ? { pty: context.size ?? TERMINAL } : {}),
      },
      caller: context.caller,
      command: request.command,
      host: effective.host,
      ...sandbox,
      timeout: request.timeout ?? settings.timeoutSec,
      maxLogBytes: settings.maxLogBytes,
      keepMs: settings.cleanupMs,
      background: approvalId !== undefined || (request.background === true && context.synchronous !== true),
      ...(context.attached === true && approvalId === undefined ? { attached: true } : {}),
      ...(approvalId === undefined ? {} : { approvalId }),
    },
    runner,
    noteStart,
  );
  parts.onStarted(session, ready);
  // The client of an attached session hears of its end itself, and an approval has notices of its own.
  const isAwaited = approvalId === undefined && context.attached !== true;
  noteRunning(parts, session.info(), isAwaited);
  return session;
}

/**
 * Records that a session runs, for the next daemon should this one die; `isAwaited` when somebody waits for the notice of its
 * end. It runs already: a full disk is reported, and does not end it.
 */
export function noteRunning(
  { store, onTrouble }: Pick<HostParts, 'store' | 'onTrouble'>,
  session: SessionInfo,
  isAwaited: boolean,
): void {
  const { id, pid, status } = session;
  if (status !== 'running' || pid === undefined) return;
  try {
    store.noteSession({ id, ...processOf(session), ...(isAwaited ? { whose: actorOf(session) } : {}) });
  } catch (error) {
    onTrouble(error);
  }
}

/** Its first process by its number on this machine; what runs in a sandbox ends with that, and has numbers of its own there. */
function processOf({ pid = 0, sandbox }: SessionInfo): Pick<NotedSession, 'pid' | 'startTime'> {
  return sandbox === true ? { pid: 0, startTime: '' } : { pid, startTime: startTimeOf(pid) ?? '' };
}

/** What was decided about a command, for the audit log. */
export function judgedAs({ effective }: Pick<Ready, 'effective'>, judgement: Judgement | undefined) {
  const { security, ask } = effective;
  return judgement === undefined
    ? {}
    : { security, ask, verdict: judgement.verdict, code: judgement.code, reason: judgement.reason };
}

/** A pipeline that runs without a shell has no terminal. */
function hasTerminal({ pty }: ExecRequest, { stages }: Pick<Start, 'stages'>): boolean {
  return pty === true && stages.length === 1;
}

/** Waits until a session ends or its time in the foreground is over. An abort ends it. */
export function awaitForeground(
  session: Session,
  ready: Ready,
  start: Start,
  signal: AbortSignal | undefined,
): Promise<ExecOutcome> {
  const { request, context, settings } = ready;
  return awaitSession(session, {
    warnings: [...ready.warnings, ...session.warnings, ...withoutEffect(ready, start)],
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

function withoutEffect({ request, context }: Ready, start: Start): readonly string[] {
  const warnings: string[] = [];
  if (request.pty === true && !hasTerminal(request, start))
    warnings.push('pty has no effect: a pipeline that runs without a shell has no terminal');
  if (context.synchronous === true && (request.background === true || request.yieldMs !== undefined))
    warnings.push('background and yieldMs have no effect: the tool process is denied, so the command ran to its end');
  return warnings;
}
