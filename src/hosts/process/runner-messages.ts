/** What the daemon sends to a runner, on this machine and in a sandbox; wire/runner.ts has what a runner sends. */
import type { RunEvent } from '../../wire/runner.ts';
import type { TerminalSize } from '../../wire/session.ts';
import type { Exit, Launch } from './launch.ts';
import type { ProcessId } from './processes.ts';
import type { StreamServerAddress } from './streams/stream-header.ts';

/** Both are built together; another number is another program. */
export const PROTOCOL = 6;

/** Below the scratch folder: pipes that were made before the runner started. */
export const FIRST_PIPES = 'first-pipes';

/** Paths inside the sandbox. */
export interface InsidePlaces {
  /** The folder that files are read and written below (default: `/workspace`). */
  readonly workspace: string;
  /** Locks, journals and the record of changes (default: `/run/pincer/state`). */
  readonly stateDir: string;
  /** Named pipes are made here (default: `/run/pincer`). */
  readonly scratch: string;
  /** The folder that `~/` means (default: the home of commands). */
  readonly home: string;
}

/** The parameters of `runner.welcome`, the first call. */
export interface Welcome {
  /** Is in the mark of its processes beside their session. */
  readonly owner: string;
  readonly graceMs: number;
  /** Inside a sandbox. */
  readonly places?: InsidePlaces;
  /** Where programs connect their streams; without it they are streams of the channel. */
  readonly streams?: StreamServerAddress;
  /** How many processes and threads there may be before the session that has the most of them is ended. */
  readonly mostTasks?: number;
  /** Absent when there are no connections out of the sandbox. */
  readonly proxy?: {
    /** Where programs find the proxy. */
    readonly port: number;
    /** Connections that may be asked for at the same time. */
    readonly mostConnections: number;
  };
}

/** The parameters of the calls about commands. `id` is the number of the run, chosen by the caller. */
export interface RunParams {
  readonly 'run.start': { readonly id: number; readonly launch: Launch };
  readonly 'run.kill': { readonly id: number; readonly session: string; readonly graceMs: number };
  readonly 'run.resize': { readonly id: number; readonly size: TerminalSize };
  /** SIGINT to the process groups of a command. */
  readonly 'run.interrupt': { readonly id: number };
}

/** An event of a command, from a runner that is trusted. */
export type RunReport =
  | Exclude<RunEvent, { type: 'started' | 'exited' }>
  | (Extract<RunEvent, { type: 'started' }> & {
      /** One per stage, in their order; reported on this machine only. */
      readonly processes?: readonly ProcessId[];
      /** The folder of their control group, where there is one; reported on this machine only. */
      readonly cgroup?: string;
    })
  | { readonly type: 'exited'; readonly exit: Exit };

/** The answer to `net.connect`, when the connection is over. */
export type ConnectResult =
  | { readonly end: 'closed' }
  /** It was lost: what was not delivered by then is not. */
  | { readonly end: 'cut' }
  | { readonly end: 'refused'; readonly reason: string };
