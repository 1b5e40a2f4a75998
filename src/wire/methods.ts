/** The methods that the daemon answers on its socket: their parameters, their results and the events of streams. */
import { approvalInfo, auditCheck, auditEntry, decision, resolveAnswer } from './approval.ts';
import { caller } from './caller.ts';
import { execContext, execOutcome, execRequest } from './exec.ts';
import { notice, type Notice } from './notice.ts';
import { effectivePolicy, judgement } from './policy.ts';
import { policyReport } from './posture.ts';
import { sandboxExplanation, sandboxInfo } from './sandbox.ts';
import {
  array,
  boolean,
  type Infer,
  integer,
  literal,
  json,
  type Members,
  number,
  object,
  oneOf,
  partial,
  type Schema,
  string,
} from './schema.ts';
import {
  followEvent,
  type FollowEvent,
  inputAnswer,
  logPage,
  pollAnswer,
  screen,
  sessionInfo,
  type SessionInfo,
  sessionInput,
  terminalSize,
} from './session.ts';
import { toolCallSettings, toolResult } from './tool.ts';

/** How many sessions there are. */
export const sessionCounts = object(
  { running: integer(), finished: integer() },
  {
    /** How many sessions have ended and left processes that still run; absent for none. */
    withLeftovers: integer(),
  },
);
export type SessionCounts = Infer<typeof sessionCounts>;

export const daemonStatus = object(
  {
    pid: integer(),
    version: string(),
    startedAt: number(),
    stateDir: string(),
    socket: string(),
    sessions: sessionCounts,
    pendingApprovals: integer(),
    memoryBytes: integer(),
  },
  {
    /** The largest event-loop lag of the last minute; absent in a gateway without a daemon. */
    eventLoopLagMs: number(),
  },
);
export type DaemonStatus = Infer<typeof daemonStatus>;

/** A session that was ended. */
export const endedSession = object(sessionInfo.required, {
  ...sessionInfo.optional,
  /** How many processes were ended that an ended session had left behind. */
  endedLeftovers: integer(),
});
export type EndedSession = Infer<typeof endedSession>;

/** A method of the daemon. */
export interface MethodShape<P, R> {
  /** What it does, for docs/protocol.md. */
  readonly summary: string;
  readonly params: Schema<P>;
  readonly result: Schema<R>;
  /** Present where the method is a stream: what it sends before its result. */
  readonly event?: Schema<unknown>;
}

/* @__NO_SIDE_EFFECTS__ */
function method<P, R>(summary: string, params: Schema<P>, result: Schema<R>): MethodShape<P, R> {
  return { summary, params, result };
}

/** A method on one session. */
/* @__NO_SIDE_EFFECTS__ */
function ofSession<R, O extends Members>(summary: string, result: Schema<R>, optional: O) {
  return method(summary, object(SESSION, optional), result);
}

const SESSION = {
  caller,
  /** The id of a session, or the start of one that is unique. */
  sessionId: string(),
};
const FOLDER = {
  caller,
  /** The absolute folder that is the workspace. */
  folder: string(),
};
const RESTRICTIONS = { restrictions: execContext.optional.restrictions };
const count = integer({ min: 0 });
const waitMs = number({ min: 0 });
const approvalFilter = oneOf(['pending', 'all']);
const page = { after: count, limit: count, client: string() };
const none = object({});
/** The arguments of a tool are checked by the tool. */
const toolArguments = json({ depth: 1_000, values: Number.MAX_SAFE_INTEGER });

export const METHODS = {
  'exec.start': method(
    'Judges a command, asks a person where the policy says so, and runs it.',
    object({ request: execRequest, context: execContext }),
    execOutcome,
  ),
  'session.started': method(
    'Waits until the request with this ticket has started its session.',
    object({ caller, ticket: string() }),
    sessionInfo,
  ),
  'session.list': method('The sessions that the caller may see.', object({ caller }), array(sessionInfo)),
  'session.poll': ofSession('The output since the last poll.', pollAnswer, { waitMs }),
  'session.log': ofSession('Lines of the log.', logPage, { offset: count, limit: count }),
  'session.input': method('Writes to the standard input.', object({ ...SESSION, input: sessionInput }), inputAnswer),
  'session.interrupt': ofSession(
    'Sends SIGINT to the process group of the command, as Ctrl-C does, and does not wait for its end.',
    sessionInfo,
    {},
  ),
  'session.kill': ofSession(
    'Ends the session, or the processes that an ended session left behind; `endedLeftovers` says how many.',
    endedSession,
    {},
  ),
  'session.background': ofSession(
    'Detaches the session from its client: it continues in the background, and a notice reports its end.',
    sessionInfo,
    {},
  ),
  'session.clear': ofSession('Removes a finished session.', sessionInfo, {}),
  'session.screen': ofSession('The screen of a session with a terminal.', screen, {}),
  'session.resize': method(
    'Changes the size of the terminal.',
    object({ ...SESSION, size: terminalSize }),
    sessionInfo,
  ),
  'session.wait': method('Waits for the end, at most `waitMs`.', object({ ...SESSION, waitMs }), sessionInfo),
  'session.follow': {
    ...ofSession('A stream: output from the position `after`, until the session ends.', sessionInfo, { after: count }),
    event: followEvent,
  },
  'approval.list': method(
    'The newest approvals, 100 by default; `approval.count` says how many there are.',
    partial({ state: approvalFilter, limit: count }),
    array(approvalInfo),
  ),
  'approval.count': method('The number of approvals.', partial({ state: approvalFilter }), count),
  'approval.show': method('One approval.', object({ id: string() }), approvalInfo),
  'approval.resolve': method(
    'Answers an approval. The first answer wins.',
    object(
      { id: string(), decision, by: string() },
      {
        /** What the person wants the agent to know about a denial. */
        reason: string(),
      },
    ),
    resolveAnswer,
  ),
  'approval.outcome': method(
    'The result of a request that needed an approval, as `exec.start` answers it. Waits for the end of the command as ' +
      'long as a call does, at most `yieldMs`; an open approval is still `approval-pending`.',
    object({ id: string(), caller }, { yieldMs: number() }),
    execOutcome,
  ),
  'command.say': method(
    'Executes a message that begins with a slash: `/exec …`, `/approve …`.',
    object({ text: string(), sender: string(), caller, folder: string() }),
    object(
      { text: string(), ok: boolean() },
      {
        /** The line of the text that says that commands are not judged on this machine. */
        unjudged: string(),
      },
    ),
  ),
  'policy.explain': method(
    'Judges a command and does not run it.',
    object({ request: execRequest, context: execContext }),
    object({ judgement, effective: effectivePolicy }),
  ),
  'policy.posture': method(
    'What happens to commands of the caller in a folder, and the rules that judge them.',
    object(FOLDER, RESTRICTIONS),
    policyReport,
  ),
  'sandbox.tool': method(
    'Runs a file tool in the sandbox of the caller; the fault SANDBOX_OFF where sandboxing is off.',
    object(
      { ...FOLDER, tool: string() },
      {
        args: toolArguments,
        context: toolCallSettings,
        ...RESTRICTIONS,
        /** Makes and replaces no sandbox: SANDBOX_NOT_RUNNING where none runs, or its guards do not hold. */
        onlyRunning: literal(true),
      },
    ),
    toolResult,
  ),
  'sandbox.explain': method(
    'Where the commands of the caller run in a folder. Probes the backend.',
    object(FOLDER, RESTRICTIONS),
    sandboxExplanation,
  ),
  'sandbox.list': method('The sandboxes that run.', none, array(sandboxInfo)),
  'sandbox.recreate': method(
    'Ends the sandboxes of an agent, or all of them. The next use makes a new one.',
    partial({ agent: string() }),
    array(sandboxInfo),
  ),
  'audit.list': method(
    'Entries of the audit log, after the one with the number `after`.',
    partial(page),
    array(auditEntry),
  ),
  'audit.verify': method('Checks the hashes of the whole audit log.', none, auditCheck),
  'notice.list': method('Notices, after the one with the number `after`.', partial(page), array(notice)),
  'notice.follow': {
    ...method('A stream: notices after the number `after`, then new ones.', partial({ after: count }), json()),
    event: notice,
  },
  'daemon.status': method('The state of the daemon.', none, daemonStatus),
  'daemon.stop': method(
    'Stops the daemon; with sessions that run only where `force` is set.',
    partial({
      force: boolean(),
      /** Another process wants to be the daemon: one whose sandboxes hold changes that can be undone stays. */
      makeRoom: literal(true),
    }),
    object({ stopping: boolean(), running: sessionCounts.required.running }, sessionCounts.optional),
  ),
} as const;

export type Method = keyof typeof METHODS;

/** The types of the parameters and of the result of each method. */
export type Methods = {
  [M in Method]: {
    params: Infer<(typeof METHODS)[M]['params']>;
    result: Infer<(typeof METHODS)[M]['result']>;
  };
};

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
