/** Requests to run a command, and their outcomes. */
import {
  type Infer,
  array,
  boolean,
  integer,
  json,
  literal,
  number,
  object,
  oneOf,
  record,
  string,
  union,
} from './schema.ts';
import { approvalInfo } from './approval.ts';
import { caller } from './caller.ts';
import { ask, hostName, judgement, security } from './policy.ts';
import { logSlice, sessionInfo, terminalSize } from './session.ts';

export type { Caller } from './caller.ts';
export type { HostName } from './policy.ts';

/** The parameters of the tool `exec`. */
export const execRequest = object(
  { command: string() },
  {
    /** Relative to the context's folder. */
    workdir: string(),
    env: record(string()),
    /** How long to wait before the command continues in the background, 10 to 120,000 ms (default: 10,000). */
    yieldMs: number(),
    background: boolean(),
    /** The time limit in seconds (default: 1,800); 0 for none. */
    timeout: number({ min: 0 }),
    pty: boolean(),
    host: hostName,
    security,
    ask,
    node: string(),
    elevated: boolean(),
  },
);
export type ExecRequest = Infer<typeof execRequest>;

/** The context of a request, set by the entry point. */
export const execContext = object(
  {
    caller,
    /** An absolute path: the base of `workdir`, and the folder whose configuration applies. */
    folder: string(),
    /** The environment of the caller's process; the host inherits only the names on its list. */
    environment: record(string()),
  },
  {
    /**
     * Settings from the environment of the caller, in the form of a configuration file. They can only tighten the policy, because
     * the caller may be an agent.
     */
    restrictions: record(json()),
    /** Folders before PATH, from the operator of the gateway that this machine is a node of. */
    pathPrepend: array(string()),
    /** Those of them that the operator of this machine has not listed in `node.pathPrefixes`. */
    unlistedFolders: array(string()),
    /** Only a person can allow what needs approval; `askFallback` does not apply. */
    personOnly: literal(true),
    /** The umask of the command (default: the initial umask of the daemon). */
    umask: integer({ min: 0, max: 0o777 }),
    /** Whether stdout and stderr are separate (for a terminal) or merged in the order of writing (for a model). */
    streams: oneOf(['merged', 'apart']),
    /** Whether stdin stays open for `process write` (default: closed for pipes, open for a PTY). */
    stdin: oneOf(['closed', 'open']),
    size: terminalSize,
    /**
     * The caller follows the session: the answer is `running` as soon as the command has started, the session does not count as
     * background, and no notice reports its end. It ends with the caller's connection.
     */
    attached: literal(true),
    /**
     * The caller follows the background session from its start, so a short log stays in memory. `session.background` writes it to
     * the disk.
     */
    followed: literal(true),
    /** A key that the caller chooses; `session.started` finds the session of this request by it. */
    ticket: string(),
    /** Run in a sandbox or not at all. */
    sandboxOnly: literal(true),
    /**
     * A command of the gateway that this machine is a node of, where `node.sandbox` is true: it runs in a sandbox or not at all, also
     * where `sandbox.mode` is off. What the rules forbid stays forbidden.
     */
    guestSandbox: literal(true),
    /** Run to the end, and ignore `yieldMs` and `background`, because the tool `process` is denied. */
    synchronous: literal(true),
  },
);
export type ExecContext = Infer<typeof execContext>;

/** Why a command did not run, as in notices. */
export const denialReason = oneOf([
  'security=deny',
  'allowlist-miss',
  'deny-rule',
  'user-denied',
  'denied-lately',
  'question-budget',
  'approval-timeout',
  'approval-timeout (allowlist-miss)',
  'approval-unavailable',
  'approval-changed',
  'spawn-failed',
  'tool-denied',
]);
export type DenialReason = Infer<typeof denialReason>;

/** The outcome of a request. `failed`: the command did not end on its own (timeout, abort, kill) or could not start. */
export const execOutcome = union(
  'status',
  object({
    status: oneOf(['running', 'completed', 'failed']),
    session: sessionInfo,
    /** The output so far, within the limits. */
    output: logSlice,
    warnings: array(string()),
  }),
  object({ status: literal('approval-pending'), approval: approvalInfo, warnings: array(string()) }),
  object(
    {
      status: literal('denied'),
      reason: denialReason,
      /** The reason, and what to do instead. */
      message: string(),
      warnings: array(string()),
    },
    { hint: string(), judgement },
  ),
);
export type ExecOutcome = Infer<typeof execOutcome>;
