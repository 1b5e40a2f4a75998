/** The methods of the daemon's socket: their parameters, their results and the events of streams. */
import type { AuditEntry } from './approval.ts';
import { APPROVAL_METHODS } from './methods/approval-methods.ts';
import { AUDIT_METHODS } from './methods/audit-methods.ts';
import { LOGIN_METHODS } from './methods/login-methods.ts';
import { caller } from './caller.ts';
import { chosenNode } from './chosen-node.ts';
import { execContext, execOutcome, execRequest } from './exec.ts';
import { REPLAY_METHODS } from './methods/replay-methods.ts';
import { RULES_METHODS } from './methods/rules-methods.ts';
import { count, method, NUMBERED_PAGE } from './methods/method.ts';
import { nodeInfo } from './nodes/node.ts';
import { approvedNode, issuedInvitation, nodeDetails } from './nodes/administration.ts';
import { nodeChoice } from './nodes/binding.ts';
import { notice, type Notice } from './notice.ts';
import { effectivePolicy, hostName, judgement } from './policy.ts';
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
import { recordingPage } from './sessions/recording.ts';
import {
  followEvent,
  type FollowListener,
  inputAnswer,
  logPage,
  pollAnswer,
  controlAnswer,
  screen,
  sessionInfo,
  type SessionInfo,
  sessionInput,
  terminalSize,
} from './session.ts';
import { sessionProcesses } from './sessions/processes.ts';
import { toolCallSettings, toolResult } from './tool.ts';

/** The number of sessions. */
export const sessionCounts = object(
  { running: integer(), finished: integer() },
  {
    /** The number of ended sessions with processes that still run; absent for none. */
    withLeftovers: integer(),
    /** The number of running sessions that continue on their nodes when the daemon stops; absent for none. */
    onNodes: integer(),
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
    /** Absent where the daemon does not listen for nodes. */
    nodes: object(
      {
        url: string(),
        paired: integer(),
        connected: integer(),
        pending: integer(),
        /** Connections of nodes since the start. */
        links: integer(),
      },
      { nats: object({ servers: string(), connected: boolean() }, { reason: string() }) },
    ),
  },
);
export type DaemonStatus = Infer<typeof daemonStatus>;

/** A session after `session.kill`. */
export const endedSession = object(sessionInfo.required, {
  ...sessionInfo.optional,
  /** The number of killed processes that the session had left behind. */
  endedLeftovers: integer(),
});
export type EndedSession = Infer<typeof endedSession>;

/** A method on one session. */
/* @__NO_SIDE_EFFECTS__ */
function ofSession<R, O extends Members>(summary: string, result: Schema<R>, optional: O) {
  return method(summary, object(SESSION, optional), result);
}

const SESSION = {
  caller,
  /** The id of a session, or a unique prefix. */
  sessionId: string(),
};
const FOLDER = {
  caller,
  /** The absolute path of the workspace. */
  folder: string(),
};
const RESTRICTIONS = { restrictions: execContext.optional.restrictions };
const waitMs = number({ min: 0 });
/** The connection of a person at the control page. Its input is accepted while it has the control. */
const typist = string({ max: 200 });
const none = object({});
/** The id of a node, its name, or at least the first six letters of its id. */
const node = string();
/** The tool itself checks its arguments. */
const toolArguments = json({ depth: 1_000, values: Number.MAX_SAFE_INTEGER });

export const METHODS = {
  'exec.start': method(
    'Judges a command, requests approval where the policy requires it, and runs the command.',
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
  'session.input': method(
    'Writes to the standard input.',
    object({ ...SESSION, input: sessionInput }, { typist }),
    inputAnswer,
  ),
  'session.interrupt': ofSession(
    'Sends SIGINT to the process group of the command, as Ctrl-C does, and does not wait for its end.',
    sessionInfo,
    {},
  ),
  'session.kill': ofSession(
    'Ends the session. For an ended session, kills the processes that it left behind; `endedLeftovers` is their number.',
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
    object({ ...SESSION, size: terminalSize }, { typist }),
    sessionInfo,
  ),
  'session.control': method(
    'Takes or releases the control of a running session: one person at a time types through the control page. The end of the ' +
      'connection to the daemon releases it.',
    object({ ...SESSION, take: boolean(), typist, by: string() }),
    controlAnswer,
  ),
  'session.recording': ofSession(
    'Whole lines of the recording (asciicast v3) of a session with a terminal, from the byte position `from` on.',
    recordingPage,
    { from: count, maxBytes: count },
  ),
  'session.processes': ofSession('The processes of a session, as a tree.', sessionProcesses, {}),
  'session.wait': method('Waits for the end, at most `waitMs`.', object({ ...SESSION, waitMs }), sessionInfo),
  'session.follow': {
    ...ofSession('A stream: output from the position `after`, until the session ends.', sessionInfo, { after: count }),
    event: followEvent,
  },
  ...APPROVAL_METHODS,
  'command.say': method(
    'Executes a message that begins with a slash: `/exec …`, `/approve …`.',
    object({ text: string(), sender: string(), caller, folder: string() }),
    object(
      { text: string(), ok: boolean() },
      {
        /** The line of the text that warns that commands on this machine are not judged. */
        unjudged: string(),
      },
    ),
  ),
  'policy.explain': method(
    'Judges a command and does not run it. A node that it would run on judges it.',
    object({ request: execRequest, context: execContext }),
    object(
      {
        judgement,
        effective: effectivePolicy,
        /** Where it would really run; `effective.host` is `sandbox` also where sandboxing is off. */
        runsOn: hostName,
        /** Whether `security` and `ask` apply to it. */
        isJudged: boolean(),
      },
      {
        /** The node whose rules decided; absent where the rules of this machine did. */
        node: chosenNode,
      },
    ),
  ),
  'policy.posture': method(
    'What happens to commands of the caller in a folder, and the rules that judge them.',
    object(FOLDER, RESTRICTIONS),
    policyReport,
  ),
  'sandbox.tool': method(
    'Runs a file tool in the sandbox of the caller; fails with SANDBOX_OFF where sandboxing is off.',
    object(
      { ...FOLDER, tool: string() },
      {
        args: toolArguments,
        context: toolCallSettings,
        ...RESTRICTIONS,
        /** Creates and replaces no sandbox: SANDBOX_NOT_RUNNING where none runs, or a guard is lost. */
        onlyRunning: literal(true),
      },
    ),
    toolResult,
  ),
  'sandbox.explain': method(
    'Where the commands of the caller run in a folder. Probes the backend.',
    object(FOLDER, { ...RESTRICTIONS, guestSandbox: execContext.optional.guestSandbox }),
    sandboxExplanation,
  ),
  'sandbox.list': method('The running sandboxes.', none, array(sandboxInfo)),
  'sandbox.recreate': method(
    'Ends the sandboxes of an agent, or all sandboxes. The next use creates a new one.',
    partial({ agent: string() }),
    array(sandboxInfo),
  ),
  'node.tool': method(
    'Runs a file tool on the files of a node.',
    object(
      { ...FOLDER, node, tool: string() },
      {
        args: toolArguments,
        context: toolCallSettings,
        ...RESTRICTIONS,
        /** The call changes nothing, so that it may be sent again after a broken connection. */
        reads: literal(true),
      },
    ),
    toolResult,
  ),
  'node.choice': method(
    'The node that commands of an agent in a folder would run on now, by the settings.',
    object(
      { folder: string() },
      {
        /** Default: an agent that has no own settings. */
        agent: string(),
      },
    ),
    nodeChoice,
  ),
  'node.list': method('The nodes: paired ones, pending requests, and revoked ones.', none, array(nodeInfo)),
  'node.pending': method('The machines that wait for approval, with the code that each shows.', none, array(nodeInfo)),
  'node.show': method('One node.', object({ node }), nodeDetails),
  'node.approve': method(
    'Pairs a machine that waits. Lets a node connect again that was refused with NODE_CLONED.',
    object(
      { node, by: string() },
      {
        /** The node whose name the new one gets; it is removed. */
        replaces: node,
      },
    ),
    approvedNode,
  ),
  'node.reject': method('Refuses a machine that waits.', object({ node, by: string() }), nodeInfo),
  'node.invite': method(
    'Creates an invitation for one machine, valid once and for ten minutes.',
    object(
      { by: string() },
      {
        /** The address that the machine connects to, `wss://host:port` (default: the one that the gateway listens on). */
        url: string(),
      },
    ),
    issuedInvitation,
  ),
  'node.rename': method('Renames a paired node.', object({ node, name: string() }), nodeInfo),
  'node.remove': method(
    'Revokes a node and closes its connection. Removes a revoked node from the list.',
    object({ node, by: string() }),
    nodeInfo,
  ),
  ...AUDIT_METHODS,
  ...RULES_METHODS,
  ...REPLAY_METHODS,
  'notice.list': method('Notices, after the one with the number `after`.', partial(NUMBERED_PAGE), array(notice)),
  'notice.follow': {
    ...method('A stream: notices after the number `after`, then new ones.', partial({ after: count }), json()),
    event: notice,
  },
  ...LOGIN_METHODS,
  'daemon.status': method('The state of the daemon.', none, daemonStatus),
  'daemon.stop': method(
    'Stops the daemon; while sessions run only with `force`.',
    partial({
      force: boolean(),
      /** Another process wants to become the daemon. Refused while a sandbox has changes that can be undone. */
      makeRoom: literal(true),
    }),
    object(
      { stopping: boolean(), running: sessionCounts.required.running },
      {
        ...sessionCounts.optional,
        /**
         * What else keeps it running. `foreground`: it is `pincer serve`, `gateway` or `node run`. `sandbox-changes`: they can be
         * undone until it exits.
         */
        keptBy: oneOf(['foreground', 'sandbox-changes']),
      },
    ),
  ),
} as const;

export type Method = keyof typeof METHODS;

export type Methods = {
  [M in Method]: {
    params: Infer<(typeof METHODS)[M]['params']>;
    result: Infer<(typeof METHODS)[M]['result']>;
  };
};

/** Implemented inside the daemon, and by the client of its socket. */
export interface Gateway {
  /** An aborted `exec.start` ends the command that it started. */
  call<M extends Method>(method: M, params: Methods[M]['params'], signal?: AbortSignal): Promise<Methods[M]['result']>;
  /**
   * Sends events until the session ends or the signal aborts. While a promise of the listener is pending, it receives no events
   * and slows down no other listener; output that the log drops until then is a gap.
   */
  follow(
    params: Methods['session.follow']['params'],
    listener: FollowListener,
    signal?: AbortSignal,
  ): Promise<SessionInfo>;
  /** Sends notices after `after`, then new ones until the signal aborts. */
  notices(params: { readonly after?: number }, listener: (notice: Notice) => void, signal: AbortSignal): Promise<void>;
  /** Sends entries of the audit log after `after`, then new ones until the signal aborts. */
  auditEntries(
    params: { readonly after?: number },
    listener: (entry: AuditEntry) => void,
    signal: AbortSignal,
  ): Promise<void>;
}
