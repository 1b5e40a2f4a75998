/** What crosses the boundary between whoever wants a command run and the host that runs it. */
import type { ApprovalInfo } from './approval.ts';
import type { Caller } from './caller.ts';
import type { Ask, HostName, Judgement, Security } from './policy.ts';
import type { LogSlice, SessionInfo, TerminalSize } from './session.ts';

export type { Caller, HostName };

/** The parameters of `exec`, as the agent gives them. */
export interface ExecRequest {
  readonly command: string;
  /** From the context's folder on. */
  readonly workdir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How long to wait for the end before the session goes on in the background (default: 10,000 ms), 10 to 120,000. */
  readonly yieldMs?: number;
  readonly background?: boolean;
  /** Seconds (default: 1,800), 0 for none. */
  readonly timeout?: number;
  readonly pty?: boolean;
  readonly host?: HostName;
  readonly security?: Security;
  readonly ask?: Ask;
  readonly node?: string;
  readonly elevated?: boolean;
}

/** What the way in knows beside the parameters. */
export interface ExecContext {
  readonly caller: Caller;
  /** The absolute folder that `workdir` starts from, and whose configuration holds. */
  readonly folder: string;
  /** The environment of the process that asks; the host inherits only names on its list. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Settings that the process which asks was started with, as a file of configuration says them. They may only make it
   * stricter: whoever asks may be an agent.
   */
  readonly tighter?: Readonly<Record<string, unknown>>;
  /** The mask that files of the command are made with (default: the daemon's first one). */
  readonly umask?: number;
  /** Whether the two output streams are told apart (a terminal wants that) or come in the order of writing (a model does). */
  readonly streams?: 'merged' | 'apart';
  /** Whether standard input stays open for `process write` (default: pipes have it closed), a PTY always has one. */
  readonly stdin?: 'closed' | 'open';
  readonly size?: TerminalSize;
  /**
   * The caller follows the session itself: the answer is `running` as soon as it has started, it does not count as in the
   * background, and its end is not told by a notice. It ends when the caller's connection ends.
   */
  readonly attached?: true;
  /** A name of the caller's choosing for this request, by which `session.started` tells the session that it became. */
  readonly ticket?: string;
  /** Runs in a sandbox or not at all. */
  readonly sandboxOnly?: true;
  /** The tool `process` is denied: run to the end and ignore `yieldMs` and `background`. */
  readonly synchronous?: true;
}

/** Why a command was not run, in the words of the notices. */
export type DenialReason =
  | 'security=deny'
  | 'allowlist-miss'
  | 'deny-rule'
  | 'user-denied'
  | 'approval-timeout'
  | 'approval-timeout (allowlist-miss)'
  | 'approval-unavailable'
  | 'approval-changed'
  | 'spawn-failed'
  | 'tool-denied';

/** What became of a request. `failed` is a command that did not end by itself: timeout, abort, kill, no such program. */
export type ExecOutcome =
  | {
      readonly status: 'running' | 'completed' | 'failed';
      readonly session: SessionInfo;
      /** All output so far, within the caps. */
      readonly output: LogSlice;
      readonly warnings: readonly string[];
    }
  | { readonly status: 'approval-pending'; readonly approval: ApprovalInfo; readonly warnings: readonly string[] }
  | {
      readonly status: 'denied';
      readonly reason: DenialReason;
      /** One sentence, and what to do instead. */
      readonly message: string;
      readonly hint?: string;
      readonly judgement?: Judgement;
      readonly warnings: readonly string[];
    };
