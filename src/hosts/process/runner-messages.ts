/**
 * What the daemon and a runner say to each other in messages, on this machine and in a sandbox; the id of the frame says
 * which command it is about.
 */
import type { RunnerMessage } from '../../wire/runner.ts';
import type { TerminalSize } from '../../wire/session.ts';
import type { Exit, Launch } from './launch.ts';
import type { ProcessId } from './processes.ts';
import type { StreamServerAddress } from './stream-header.ts';

/** Both are built together; another number is another program. */
export const PROTOCOL = 4;

/** Below the scratch folder: pipes that were made before the agent started. */
export const FIRST_PIPES = 'first-pipes';

/** Where the agent finds what it works with; all paths are those inside. */
export interface InsidePlaces {
  /** The folder that files are read and written below (default: `/workspace`). */
  readonly workspace: string;
  /** Locks, journals and the record of changes (default: `/run/pincer/state`). */
  readonly stateDir: string;
  /** Named pipes are made here (default: `/run/pincer`). */
  readonly scratch: string;
  /** What `~/` stands for (default: the home of commands). */
  readonly home: string;
}

/** The first order: whom it works for, and with what. */
export interface Welcome {
  readonly type: 'welcome';
  /** Names its processes beside their session. */
  readonly owner: string;
  readonly graceMs: number;
  /** Inside of a sandbox. */
  readonly places?: InsidePlaces;
  /** Where programs connect their streams; without it they are carried in frames. */
  readonly streams?: StreamServerAddress;
  /** How many processes and threads there may be before the session that has the most of them is ended. */
  readonly mostTasks?: number;
  /** The port that programs reach the allowed part of the network through; none when there is no way out. */
  readonly proxyPort?: number;
}

/** What the gateway says. */
export type Order =
  | Welcome
  | { readonly type: 'launch'; readonly launch: Launch }
  | { readonly type: 'kill'; readonly n: number; readonly session: string; readonly graceMs: number }
  | { readonly type: 'resize'; readonly size: TerminalSize }
  | { readonly type: 'endInput' }
  /** SIGINT to the process groups of a command. */
  | { readonly type: 'interrupt' }
  | { readonly type: 'abort' }
  | { readonly type: 'ping'; readonly n: number }
  /** The answer to a `connect`. */
  | { readonly type: 'connected' }
  | { readonly type: 'refused'; readonly reason: string }
  /** A connection is over at once, without its rest. */
  | { readonly type: 'cut' };

/** What a runner says. Out of a sandbox nothing of it is true because it was said. */
export type News =
  | Exclude<RunnerMessage, { type: 'started' | 'exit' }>
  | (Extract<RunnerMessage, { type: 'started' }> & {
      /** One per stage, in their order; heard on this machine only. */
      readonly processes?: readonly ProcessId[];
      /** The folder of their control group, where there is one; heard on this machine only. */
      readonly cgroup?: string;
    })
  | { readonly type: 'exit'; readonly exit: Exit };
