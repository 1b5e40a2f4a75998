/** One started command and its output, as readers see it. */

import type { Actor } from './actor.ts';
import type { HostName } from './policy.ts';
import type { ObeyedChange } from './sandbox.ts';

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** Why a session ended other than by itself. */
export type SessionFailure = 'timeout' | 'aborted' | 'killed' | 'spawn-failed' | 'lost';

export interface SessionInfo extends Actor {
  /** Two words: `brisk-otter`. */
  readonly id: string;
  readonly command: string;
  /** Secrets in the command are masked: it ran under a daemon that died. */
  readonly masked?: true;
  /** The verb and its first operand, at most 48 characters. */
  readonly name: string;
  readonly cwd: string;
  readonly host: HostName;
  /** It runs in a sandbox; `host` alone says `sandbox` also where sandboxing is off. */
  readonly sandbox?: true;
  readonly status: 'running' | 'completed' | 'failed';
  readonly pid?: number;
  readonly pty?: TerminalSize;
  readonly startedAt: number;
  /** Seconds after which it is ended; absent where it has no limit. */
  readonly timeoutSec?: number;
  readonly endedAt?: number;
  readonly exitCode?: number;
  readonly exitSignal?: string;
  readonly failure?: SessionFailure;
  /** The seconds of a timeout, the message of a spawn failure, why a sandbox ended. */
  readonly failureNote?: string;
  /** What the host obeys and the command made or changed. */
  readonly obeyed?: readonly ObeyedChange[];
  /** Whether it goes on (or went on) behind the back of the call that started it. */
  readonly backgrounded: boolean;
  readonly stdinOpen: boolean;
  /** Runs, has written something, and has been silent for a while with its input open. */
  readonly waitingForInput: boolean;
  readonly lastOutputAt?: number;
  /** All bytes of output ever, and whether the middle of them is gone. */
  readonly bytes: number;
  readonly truncated: boolean;
  /** The last of the output, at most 2,000 characters. */
  readonly tail: string;
  readonly approvalId?: string;
  /** Processes that it left behind when it ended, as far as they were looked for. */
  readonly leftovers?: readonly Leftover[];
}

/** A process that goes on after the end of its session. */
export interface Leftover {
  readonly pid: number;
  /** The words that it was started with. */
  readonly command: string;
}

/** A piece of output as text. Positions are bytes from the start of the log. */
export interface LogSlice {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Bytes in front of it or inside of it that are not shown or were not kept. */
  readonly omitted: number;
}

/** Lines of a log. */
export interface LogPage {
  readonly session: SessionInfo;
  readonly text: string;
  /** The number of the first line shown, from 0. */
  readonly offset: number;
  readonly lines: number;
  readonly totalLines: number;
  readonly totalBytes: number;
  /** Whether the middle of the log was not kept; then the numbers of later lines count what was kept. */
  readonly truncated: boolean;
}

/** What a poll drained: the output since the last poll. */
export interface PollAnswer {
  readonly session: SessionInfo;
  readonly output: LogSlice;
  /** When to ask again. */
  readonly retryInMs?: number;
}

/** What goes to a session's standard input. */
export type SessionInput =
  | { readonly kind: 'write'; readonly data: string; readonly eof?: boolean }
  | {
      readonly kind: 'keys';
      readonly literal?: string;
      readonly hex?: readonly string[];
      readonly keys?: readonly string[];
    }
  | { readonly kind: 'submit' }
  | { readonly kind: 'paste'; readonly text: string; readonly bracketed?: boolean }
  /** From an attached terminal. */
  | { readonly kind: 'raw'; readonly base64: string };

export interface InputAnswer {
  readonly session: SessionInfo;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** What a person would see of a session with a terminal. */
export interface Screen {
  readonly session: SessionInfo;
  /** One entry per row, without blanks at the ends. */
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly col: number };
  readonly size: TerminalSize;
  readonly title: string;
  /** Whether a full-screen program (vim, less) has taken the screen. */
  readonly alternate: boolean;
}

/** What a follower receives: output in order, one gap where it was too slow or the log was cut, then the end. */
export type FollowEvent =
  | { readonly type: 'output'; readonly start: number; readonly stream: 'out' | 'err'; readonly bytes: Uint8Array }
  | { readonly type: 'gap'; readonly start: number; readonly bytes: number }
  | { readonly type: 'end'; readonly session: SessionInfo };
