/** What crosses the boundary between whoever wants a command run and the host that runs it. */
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

/** The parameters of `exec`, as the agent gives them. */
export const execRequest = object(
  { command: string() },
  {
    /** From the context's folder on. */
    workdir: string(),
    env: record(string()),
    /** How long to wait for the end before the session goes on in the background (default: 10,000 ms), 10 to 120,000. */
    yieldMs: number(),
    background: boolean(),
    /** Seconds (default: 1,800), 0 for none. */
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

/** What the way in knows beside the parameters. */
export const execContext = object(
  {
    caller,
    /** The absolute folder that `workdir` starts from, and whose configuration holds. */
    folder: string(),
    /** The environment of the process that asks; the host inherits only names on its list. */
    environment: record(string()),
  },
  {
    /**
     * Settings that the process which asks was started with, as a file of configuration says them. They may only make it
     * stricter: whoever asks may be an agent.
     */
    restrictions: record(json()),
    /** The mask that files of the command are made with (default: the daemon's first one). */
    umask: integer({ min: 0, max: 0o777 }),
    /** Whether the two output streams are told apart (a terminal wants that) or come in the order of writing (a model does). */
    streams: oneOf(['merged', 'apart']),
    /** Whether standard input stays open for `process write` (default: pipes have it closed), a PTY always has one. */
    stdin: oneOf(['closed', 'open']),
    size: terminalSize,
    /**
     * The caller follows the session itself: the answer is `running` as soon as it has started, it does not count as in the
     * background, and its end is not told by a notice. It ends when the caller's connection ends.
     */
    attached: literal(true),
    /** A name of the caller's choosing for this request, by which `session.started` tells the session that it became. */
    ticket: string(),
    /** Runs in a sandbox or not at all. */
    sandboxOnly: literal(true),
    /** The tool `process` is denied: run to the end and ignore `yieldMs` and `background`. */
    synchronous: literal(true),
  },
);
export type ExecContext = Infer<typeof execContext>;

/** Why a command was not run, in the words of the notices. */
export const denialReason = oneOf([
  'security=deny',
  'allowlist-miss',
  'deny-rule',
  'user-denied',
  'approval-timeout',
  'approval-timeout (allowlist-miss)',
  'approval-unavailable',
  'approval-changed',
  'spawn-failed',
  'tool-denied',
]);
export type DenialReason = Infer<typeof denialReason>;

/** What became of a request. `failed` is a command that did not end by itself: timeout, abort, kill, no such program. */
export const execOutcome = union(
  'status',
  object({
    status: oneOf(['running', 'completed', 'failed']),
    session: sessionInfo,
    /** All output so far, within the caps. */
    output: logSlice,
    warnings: array(string()),
  }),
  object({ status: literal('approval-pending'), approval: approvalInfo, warnings: array(string()) }),
  object(
    {
      status: literal('denied'),
      reason: denialReason,
      /** One sentence, and what to do instead. */
      message: string(),
      warnings: array(string()),
    },
    { hint: string(), judgement },
  ),
);
export type ExecOutcome = Infer<typeof execOutcome>;
