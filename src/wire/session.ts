/** A session: one started command and its output. */
import { chosenNode } from './chosen-node.ts';
import { type Infer, array, boolean, bytes, integer, literal, number, object, oneOf, string, union } from './schema.ts';
import { actor } from './caller.ts';
import { hostName, type HostName } from './policy.ts';
import { obeyedChange } from './sandbox.ts';
import { controller, lastInput } from './sessions/typing.ts';

export const terminalSize = object({ cols: integer(), rows: integer() });
export type TerminalSize = Infer<typeof terminalSize>;

/** Why a session ended before its command did. */
export const sessionFailure = oneOf(['timeout', 'aborted', 'killed', 'spawn-failed', 'lost']);
export type SessionFailure = Infer<typeof sessionFailure>;

/** A process that still runs after the end of its session. */
export const leftover = object({
  pid: number(),
  /** Its command line. */
  command: string(),
});
export type Leftover = Infer<typeof leftover>;

export const sessionInfo = object(
  {
    ...actor.required,
    /** Two words: `brisk-otter`. */
    id: string(),
    command: string(),
    /** The verb and its first operand, at most 48 characters. */
    name: string(),
    cwd: string(),
    host: hostName,
    status: oneOf(['running', 'completed', 'failed']),
    startedAt: number(),
    /** Whether it outlived the call that started it. */
    backgrounded: boolean(),
    stdinOpen: boolean(),
    /** The command has written output and then paused, with its stdin open. */
    waitingForInput: boolean(),
    /** The size of all output. */
    bytes: number(),
    /** Whether the middle of the output was dropped. */
    truncated: boolean(),
    /** The end of the output, at most 2,000 characters. */
    tail: string(),
  },
  {
    ...actor.optional,
    /** Secrets in the command are masked, because its daemon died. */
    masked: literal(true),
    /** The paired machine that runs it. `pid` is a process there. */
    node: chosenNode,
    /** Since when its node is not connected. It continues there, and its output follows after the reconnect. */
    unreachableSince: number(),
    /** It runs in a sandbox; `host` is `sandbox` also where sandboxing is off. */
    sandbox: literal(true),
    pid: number(),
    pty: terminalSize,
    /** It has a recording: `session.recording`. */
    recorded: literal(true),
    /** The time limit in seconds; absent for none. */
    timeoutSec: number(),
    endedAt: number(),
    exitCode: number(),
    exitSignal: string(),
    failure: sessionFailure,
    /** The seconds of a timeout, the message of a spawn failure, or why a sandbox ended. */
    failureNote: string(),
    /** Obeyed files that the command created or changed. */
    obeyed: array(obeyedChange),
    lastOutputAt: number(),
    approvalId: string(),
    /** When the last input was sent, and who sent it. */
    lastInput,
    /** Who has the control: `session.control`. */
    controller,
    /** Processes that still ran when the command ended, as far as pincer found them. */
    leftovers: array(leftover),
  },
);
export type SessionInfo = Infer<typeof sessionInfo>;

/** Where a command really runs: `host=sandbox` without sandboxing is this machine. */
export function runsOn({
  sandbox,
  node,
}: {
  readonly sandbox?: true | undefined;
  readonly node?: object | undefined;
}): HostName {
  if (node !== undefined) return 'node';
  return sandbox === true ? 'sandbox' : 'gateway';
}

/** The effect of `session.control`: the first typist has the control until the release. */
export const controlAnswer = union(
  'ok',
  object({ ok: literal(true), session: sessionInfo }),
  object({ ok: literal(false), reason: literal('taken'), controller, message: string() }),
);
export type ControlAnswer = Infer<typeof controlAnswer>;

/** A part of the output. Positions are bytes from the start of the log. */
export const logSlice = object({
  text: string(),
  start: number(),
  end: number(),
  /** Bytes before or inside it that are not shown or were dropped. */
  omitted: number(),
});
export type LogSlice = Infer<typeof logSlice>;

/** Lines of a log. */
export const logPage = object({
  session: sessionInfo,
  text: string(),
  /** The number of the first line, from 0. */
  offset: number(),
  lines: number(),
  totalLines: number(),
  totalBytes: number(),
  /** Whether the middle of the log was dropped; later line numbers then count only the kept lines. */
  truncated: boolean(),
});
export type LogPage = Infer<typeof logPage>;

/** The output since the last poll. */
export const pollAnswer = object(
  { session: sessionInfo, output: logSlice },
  {
    /** When to poll again. */
    retryInMs: number(),
  },
);
export type PollAnswer = Infer<typeof pollAnswer>;

/** Input for the stdin of a session. */
export const sessionInput = union(
  'kind',
  object({ kind: literal('write'), data: string() }, { eof: boolean() }),
  object({ kind: literal('keys') }, { literal: string(), hex: array(string()), keys: array(string()) }),
  object({ kind: literal('submit') }),
  object({ kind: literal('paste'), text: string() }, { bracketed: boolean() }),
  /** From an attached terminal. */
  object({ kind: literal('raw'), base64: string() }),
);
export type SessionInput = Infer<typeof sessionInput>;

export const inputAnswer = object({ session: sessionInfo, bytes: number(), warnings: array(string()) });
export type InputAnswer = Infer<typeof inputAnswer>;

/** The visible screen of a session with a terminal. */
export const screen = object({
  session: sessionInfo,
  /** One entry per row, without trailing blanks. */
  lines: array(string()),
  cursor: object({ row: number(), col: number() }),
  size: terminalSize,
  title: string(),
  /** Whether a full-screen program (vim, less) uses the alternate screen. */
  alternate: boolean(),
});
export type Screen = Infer<typeof screen>;

/** Output in order, a gap where the follower was too slow or the log was cut, then the end. */
export const followEvent = union(
  'type',
  object({ type: literal('output'), start: number(), stream: oneOf(['out', 'err']), bytes }),
  object({ type: literal('gap'), start: number(), bytes: number() }),
  object({ type: literal('end'), session: sessionInfo }),
);
export type FollowEvent = Infer<typeof followEvent>;

/**
 * While its promise is pending it receives no events. It may keep the bytes of an event; if it does not, it calls `release` when
 * it is done with them, so that their memory is used again.
 */
export type FollowListener = (event: FollowEvent, release?: () => void) => void | Promise<void>;
