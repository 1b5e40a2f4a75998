/** The methods that the daemon answers on its local socket: names, parameters, results. */
import type { ApprovalInfo, AuditCheck, AuditEntry, Decision, ResolveAnswer } from './approval.ts';
import type { Caller, ExecContext, ExecOutcome, ExecRequest } from './exec.ts';
import type { Notice } from './notice.ts';
import type { EffectivePolicy, Judgement } from './policy.ts';
import type { PolicyReport } from './posture.ts';
import type { SandboxExplanation, SandboxInfo } from './sandbox.ts';
import type { ToolCallSettings, ToolResult } from './tool.ts';
import type {
  FollowEvent,
  InputAnswer,
  LogPage,
  PollAnswer,
  Screen,
  SessionInfo,
  SessionInput,
  TerminalSize,
} from './session.ts';

interface OfSession {
  readonly caller: Caller;
  /** A session's id or the unique start of one. */
  readonly sessionId: string;
}

export interface Methods {
  'exec.start': { params: { readonly request: ExecRequest; readonly context: ExecContext }; result: ExecOutcome };
  /** Waits until the request with this ticket has started its session; the signal ends the waiting. */
  'session.started': { params: { readonly caller: Caller; readonly ticket: string }; result: SessionInfo };
  'session.list': { params: { readonly caller: Caller }; result: readonly SessionInfo[] };
  'session.poll': { params: OfSession & { readonly waitMs?: number }; result: PollAnswer };
  'session.log': { params: OfSession & { readonly offset?: number; readonly limit?: number }; result: LogPage };
  'session.input': { params: OfSession & { readonly input: SessionInput }; result: InputAnswer };
  /** SIGINT to the process group of the command, as Ctrl-C sends it; the answer does not wait for an end. */
  'session.interrupt': { params: OfSession; result: SessionInfo };
  /** Also ends what a session that has ended left behind; how many processes that were is in the result. */
  'session.kill': { params: OfSession; result: SessionInfo & { readonly endedLeftovers?: number } };
  /** Whoever is attached to it leaves: it goes on in the background, and its end is told. */
  'session.background': { params: OfSession; result: SessionInfo };
  /** Forgets a finished session. */
  'session.clear': { params: OfSession; result: SessionInfo };
  'session.screen': { params: OfSession; result: Screen };
  'session.resize': { params: OfSession & { readonly size: TerminalSize }; result: SessionInfo };
  /** Waits for the end at most this long. */
  'session.wait': { params: OfSession & { readonly waitMs: number }; result: SessionInfo };
  /** A stream: `Gateway.follow` hears its events. */
  'session.follow': { params: OfSession & { readonly after?: number }; result: SessionInfo };
  /** The newest, 100 by default; `approval.count` says how many there are. */
  'approval.list': {
    params: { readonly state?: 'pending' | 'all'; readonly limit?: number };
    result: readonly ApprovalInfo[];
  };
  'approval.count': { params: { readonly state?: 'pending' | 'all' }; result: number };
  'approval.show': { params: { readonly id: string }; result: ApprovalInfo };
  'approval.resolve': {
    params: {
      readonly id: string;
      readonly decision: Decision;
      readonly by: string;
      /** What the person wants the agent to know about a denial. */
      readonly reason?: string;
    };
    result: ResolveAnswer;
  };
  /**
   * What became of a request that needed a person: what the call would have answered. Waits for the end of the command as
   * long as a call does, `yieldMs` at most; a question that nobody has answered is `approval-pending` still.
   */
  'approval.outcome': {
    params: { readonly id: string; readonly caller: Caller; readonly yieldMs?: number };
    result: ExecOutcome;
  };
  /** The words after `/` of a message: `/exec …`, `/approve …`. */
  'command.say': {
    params: { readonly text: string; readonly sender: string; readonly caller: Caller; readonly folder: string };
    result: {
      readonly text: string;
      readonly ok: boolean;
      /** The line of the text that says that commands are not judged on this machine. */
      readonly unjudged?: string;
    };
  };
  'policy.explain': {
    params: { readonly request: ExecRequest; readonly context: ExecContext };
    result: { readonly judgement: Judgement; readonly effective: EffectivePolicy };
  };
  /** What happens to commands of the caller in this folder, and the rules that judge them. */
  'policy.posture': {
    params: { readonly caller: Caller; readonly folder: string; readonly tighter?: ExecContext['tighter'] };
    result: PolicyReport;
  };
  /** Runs a file tool in the sandbox of the caller; SANDBOX_OFF where sandboxing is off. */
  'sandbox.tool': {
    params: {
      readonly caller: Caller;
      /** The absolute folder that is the workspace. */
      readonly folder: string;
      readonly tool: string;
      readonly args: unknown;
      readonly context?: ToolCallSettings;
      readonly tighter?: ExecContext['tighter'];
    };
    result: ToolResult;
  };
  /** Where the caller's commands run in this folder; the backend is probed. */
  'sandbox.explain': {
    params: { readonly caller: Caller; readonly folder: string; readonly tighter?: ExecContext['tighter'] };
    result: SandboxExplanation;
  };
  'sandbox.list': { params: Record<string, never>; result: readonly SandboxInfo[] };
  /** Ends the sandboxes of an agent, or all: what needs one next gets a new one. Gives those that were ended. */
  'sandbox.recreate': { params: { readonly agent?: string }; result: readonly SandboxInfo[] };
  'audit.list': {
    params: { readonly after?: number; readonly limit?: number; readonly client?: string };
    result: readonly AuditEntry[];
  };
  'audit.verify': { params: Record<string, never>; result: AuditCheck };
  'notice.list': {
    params: { readonly after?: number; readonly limit?: number; readonly client?: string };
    result: readonly Notice[];
  };
  /** A stream: `Gateway.notices` hears it. */
  'notice.follow': { params: { readonly after?: number }; result: { readonly seq: number } };
  'daemon.status': { params: Record<string, never>; result: DaemonStatus };
  'daemon.stop': {
    params: { readonly force?: boolean };
    result: { readonly stopping: boolean } & Pick<SessionCounts, 'running' | 'withLeftovers'>;
  };
}

export type Method = keyof Methods;

/** Whatever answers the methods: the daemon's own rooms, or the daemon seen through its socket. */
export interface Gateway {
  /** Throws a Fault where the question cannot be answered. An aborted `exec.start` ends the command that it started. */
  call<M extends Method>(method: M, params: Methods[M]['params'], signal?: AbortSignal): Promise<Methods[M]['result']>;
  /**
   * Events until the end of the session or of the signal. While a promise of the listener is open, it hears nothing more
   * and slows nobody; what the log does not keep for it is a gap.
   */
  follow(
    params: Methods['session.follow']['params'],
    listener: (event: FollowEvent) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<SessionInfo>;
  /** Notices after `after`, then new ones until the signal. */
  notices(params: { readonly after?: number }, listener: (notice: Notice) => void, signal: AbortSignal): Promise<void>;
}

/** How many sessions there are. */
export interface SessionCounts {
  readonly running: number;
  /** Of those that have ended, how many left processes that run on; absent where none did. */
  readonly withLeftovers?: number;
  readonly finished: number;
}

export interface DaemonStatus {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly stateDir: string;
  readonly socket: string;
  readonly sessions: SessionCounts;
  readonly pendingApprovals: number;
  readonly memoryBytes: number;
  /** The largest event-loop lag of the last minute; absent in a gateway without a daemon. */
  readonly eventLoopLagMs?: number;
}
