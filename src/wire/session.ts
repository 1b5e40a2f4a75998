/** One started command and its output, as readers see it. */
import { type Infer, array, boolean, bytes, integer, literal, number, object, oneOf, string, union } from './schema.ts';
import { actor } from './caller.ts';
import { obeyedChange } from './sandbox.ts';

export const terminalSize = object({ cols: integer(), rows: integer() });
export type TerminalSize = Infer<typeof terminalSize>;

/** Why a session ended other than by itself. */
export const sessionFailure = oneOf(['timeout', 'aborted', 'killed', 'spawn-failed', 'lost']);
export type SessionFailure = Infer<typeof sessionFailure>;

/** A process that goes on after the end of its session. */
export const leftover = object({
  pid: number(),
  /** The words that it was started with. */
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
    host: oneOf(['sandbox', 'gateway', 'node']),
    status: oneOf(['running', 'completed', 'failed']),
    startedAt: number(),
    /** Whether it goes on (or went on) behind the back of the call that started it. */
    backgrounded: boolean(),
    stdinOpen: boolean(),
    /** Runs, has written something, and has been silent for a while with its input open. */
    waitingForInput: boolean(),
    /** All bytes of output ever, and whether the middle of them is gone. */
    bytes: number(),
    truncated: boolean(),
    /** The last of the output, at most 2,000 characters. */
    tail: string(),
  },
  {
    ...actor.optional,
    /** Secrets in the command are masked: it ran under a daemon that died. */
    masked: literal(true),
    /** It runs in a sandbox; `host` alone says `sandbox` also where sandboxing is off. */
    sandbox: literal(true),
    pid: number(),
    pty: terminalSize,
    /** Seconds after which it is ended; absent where it has no limit. */
    timeoutSec: number(),
    endedAt: number(),
    exitCode: number(),
    exitSignal: string(),
    failure: sessionFailure,
    /** The seconds of a timeout, the message of a spawn failure, why a sandbox ended. */
    failureNote: string(),
    /** What the host obeys and the command made or changed. */
    obeyed: array(obeyedChange),
    lastOutputAt: number(),
    approvalId: string(),
    /** Processes that it left behind when it ended, as far as they were looked for. */
    leftovers: array(leftover),
  },
);
export type SessionInfo = Infer<typeof sessionInfo>;

/** A piece of output as text. Positions are bytes from the start of the log. */
export const logSlice = object({
  text: string(),
  start: number(),
  end: number(),
  /** Bytes in front of it or inside of it that are not shown or were not kept. */
  omitted: number(),
});
export type LogSlice = Infer<typeof logSlice>;

/** Lines of a log. */
export const logPage = object({
  session: sessionInfo,
  text: string(),
  /** The number of the first line shown, from 0. */
  offset: number(),
  lines: number(),
  totalLines: number(),
  totalBytes: number(),
  /** Whether the middle of the log was not kept; then the numbers of later lines count what was kept. */
  truncated: boolean(),
});
export type LogPage = Infer<typeof logPage>;

/** What a poll drained: the output since the last poll. */
export const pollAnswer = object(
  { session: sessionInfo, output: logSlice },
  {
    /** When to ask again. */
    retryInMs: number(),
  },
);
export type PollAnswer = Infer<typeof pollAnswer>;

/** What goes to a session's standard input. */
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

/** What a person would see of a session with a terminal. */
export const screen = object({
  session: sessionInfo,
  /** One entry per row, without blanks at the ends. */
  lines: array(string()),
  cursor: object({ row: number(), col: number() }),
  size: terminalSize,
  title: string(),
  /** Whether a full-screen program (vim, less) has taken the screen. */
  alternate: boolean(),
});
export type Screen = Infer<typeof screen>;

/** What a follower receives: output in order, one gap where it was too slow or the log was cut, then the end. */
export const followEvent = union(
  'type',
  object({ type: literal('output'), start: number(), stream: oneOf(['out', 'err']), bytes }),
  object({ type: literal('gap'), start: number(), bytes: number() }),
  object({ type: literal('end'), session: sessionInfo }),
);
export type FollowEvent = Infer<typeof followEvent>;
