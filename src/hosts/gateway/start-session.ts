/** Starts a request on any host and waits for its end as long as the caller wants. */
import type { ChosenNode } from '../../wire/chosen-node.ts';
import { messageOf } from '../../base/message-of.ts';
import { actorOf } from '../../wire/actor.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import { runsOn } from '../../wire/session.ts';
import type { SessionInfo } from '../../wire/session.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { ApprovalStore, NotedSession } from '../approvals/shape.ts';
import type { Launcher, LaunchStage } from '../process/launch.ts';
import { startTimeOf } from '../process/start-time.ts';
import type { Session, Sessions } from '../sessions/shape.ts';
import type { Ready } from './prepare.ts';

/** Most characters of output in an answer; the rest is in the log. */
const ANSWER_CHARS = 200_000;
const TERMINAL = { cols: 120, rows: 30 };
const NOTHING_YET = { text: '', start: 0, end: 0, omitted: 0 };

/** What all hosts share. */
export interface HostParts {
  readonly sessions: Pick<Sessions, 'start' | 'adopt' | 'discard'>;
  readonly store: Pick<ApprovalStore, 'audit' | 'flush' | 'noteSession'>;
  readonly onStarted: (session: Session, ready: Ready) => void;
  /** A record could not be written. */
  readonly onTrouble: (error: unknown) => void;
}

export interface Start {
  readonly runner: Pick<Launcher, 'launch'>;
  readonly stages: readonly [LaunchStage, ...LaunchStage[]];
  /** `dev:ino` of the working folder, where the host checks it. */
  readonly cwdIdentity?: string;
  readonly isInside?: true;
  /** A compound command that runs in steps. */
  readonly isCompound?: true;
  /** The paired machine where it runs, which judges the request itself. */
  readonly node?: ChosenNode;
  /** The node has accepted the request. `note` writes the line in the audit log. */
  readonly accepted?: (sessionId: string, note: () => void) => void;
  /** The judgement; absent where nothing is judged. */
  readonly judgement?: Judgement | undefined;
  readonly approvalId?: string | undefined;
}

/** Starts a session for a request; writes its line in the audit log before anything runs. */
export async function startSession(parts: HostParts, ready: Ready, start: Start): Promise<Session> {
  const { request, context, settings, effective, cwd, env } = ready;
  const { runner, stages, cwdIdentity, isInside, node, accepted, judgement, approvalId } = start;
  const { store } = parts;
  const pty = hasTerminal(request, start);
  const where = { ...(isInside === undefined ? {} : { sandbox: isInside }), ...(node === undefined ? {} : { node }) };
  const noteStart = (sessionId: string, startedIn = cwd): void => {
    store.audit({
      event: 'started',
      ...actorOf(context.caller),
      ...(approvalId === undefined ? {} : { approvalId }),
      sessionId,
      command: request.command,
      details: {
        cwd: startedIn,
        ...(judgement === undefined ? {} : { folder: context.folder }),
        ...(request.pty === true ? { pty: true } : {}),
        host: effective.host,
        runsOn: runsOn(where),
        ...where,
        ...judgedAs(ready, judgement),
        env: Object.keys(request.env ?? {}),
      },
    });
    // A judged command must not be able to end this process before its line is on disk.
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
        // The process that would have written to the stdin of an approved command is gone.
        stdin: pty ? 'open' : approvalId === undefined ? (context.stdin ?? 'closed') : 'closed',
        ...(pty ? { pty: context.size ?? TERMINAL } : {}),
      },
      caller: context.caller,
      command: request.command,
      host: effective.host,
      ...where,
      timeout: request.timeout ?? settings.timeoutSec,
      maxLogBytes: settings.maxLogBytes,
      keepMs: settings.cleanupMs,
      background: approvalId !== undefined || (request.background === true && context.synchronous !== true),
      ...(context.attached === true && approvalId === undefined ? { attached: true } : {}),
      ...(context.followed === true && approvalId === undefined ? { followed: true } : {}),
      ...(approvalId === undefined ? {} : { approvalId }),
    },
    accepted === undefined ? runner : onceAccepted(runner, (id, folder) => accepted(id, () => noteStart(id, folder))),
    accepted === undefined ? (id) => noteStart(id) : undefined,
  );
  parts.onStarted(session, ready);
  // The client of an attached session sees its end directly, and approvals have their own notices.
  const isAwaited = approvalId === undefined && context.attached !== true;
  noteRunning(parts, session.info(), isAwaited);
  return session;
}

/** The start is recorded when the node has accepted it. */
function onceAccepted(
  runner: Start['runner'],
  accepted: (sessionId: string, cwd: string | undefined) => void,
): Start['runner'] {
  return {
    async launch(launch, listener) {
      const launched = await runner.launch(launch, listener);
      try {
        accepted(launch.session, launched.cwd);
      } catch (error) {
        launched.detach?.(); // its session is forgotten
        throw error;
      }
      return launched;
    },
  };
}

/**
 * Records that a session runs, for the next daemon if this one dies; `isAwaited` if a client waits for the notice of its end.
 * The session already runs: a full disk is reported and does not end it.
 */
export function noteRunning(
  { store, onTrouble }: Pick<HostParts, 'store' | 'onTrouble'>,
  session: SessionInfo,
  isAwaited: boolean,
): void {
  const { id, pid, status, node } = session;
  if (status !== 'running' || pid === undefined || node !== undefined) return; // requests to nodes have their own table
  try {
    store.noteSession({ id, ...processOf(session), ...(isAwaited ? { whose: actorOf(session) } : {}) });
  } catch (error) {
    onTrouble(error);
  }
}

/** The pid on this machine. Processes in a sandbox have the pids of another namespace. */
function processOf({ pid = 0, sandbox }: SessionInfo): Pick<NotedSession, 'pid' | 'startTime'> {
  return sandbox === true ? { pid: 0, startTime: '' } : { pid, startTime: startTimeOf(pid) ?? '' };
}

/** What judging the request again needs, for the audit log. Of variables, only the names are stored. */
export function askedAs({ request, context, cwd }: Pick<Ready, 'request' | 'context' | 'cwd'>) {
  const env = Object.keys(request.env ?? {});
  return {
    cwd,
    folder: context.folder,
    ...(env.length === 0 ? {} : { env }),
    ...(request.pty === true ? { pty: true } : {}),
  };
}

/** The judgement for the audit log. */
export function judgedAs({ effective }: Pick<Ready, 'effective'>, judgement: Judgement | undefined) {
  const { security, ask } = effective;
  return judgement === undefined
    ? {}
    : { security, ask, verdict: judgement.verdict, code: judgement.code, reason: judgement.reason };
}

/** A pipeline or compound command that runs without a shell has no terminal. */
function hasTerminal({ pty }: ExecRequest, { stages, isCompound }: Pick<Start, 'stages' | 'isCompound'>): boolean {
  return pty === true && stages.length === 1 && isCompound !== true;
}

/** Waits until a session ends or its foreground time is over. An abort ends it. */
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
    returnImmediately: context.attached === true || context.followed === true,
    ...(signal === undefined ? {} : { signal }),
  });
}

export interface Waiting {
  readonly warnings: readonly string[];
  /** Undefined: wait for the end. */
  readonly foregroundMs: number | undefined;
  /** The caller follows the session from its start. */
  readonly returnImmediately: boolean;
  /** Ends the session. */
  readonly signal?: AbortSignal;
}

export async function awaitSession(session: Session, waiting: Waiting): Promise<ExecOutcome> {
  const { signal, returnImmediately } = waiting;
  const warnings = [...waiting.warnings];
  const stop = () => {
    session.kill('aborted').catch((error: unknown) => warnings.push(messageOf(error)));
  };
  if (signal?.aborted === true) stop();
  if (returnImmediately)
    return { status: session.info().status, session: session.info(), output: NOTHING_YET, warnings };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const info = await session.ended(waiting.foregroundMs);
    if (info.status === 'running') session.background();
    return { status: info.status, session: session.info(), output: session.output(ANSWER_CHARS), warnings };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** How long a call waits for the end of its command; undefined means without limit. */
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
    warnings.push('pty has no effect: several commands that run without a shell have no terminal');
  if (context.synchronous === true && (request.background === true || request.yieldMs !== undefined))
    warnings.push('background and yieldMs have no effect: the tool process is denied, so the command ran to its end');
  return warnings;
}
