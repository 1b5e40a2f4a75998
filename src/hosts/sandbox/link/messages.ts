/** What the gateway and the agent inside of a sandbox say to each other in messages; the frame's id says whom it is about. */
import type { TerminalSize } from '../../../wire/session.ts';
import type { Exit } from '../../process/launch.ts';

/** The agent and the gateway are built together; another number is another program. */
export const PROTOCOL = 3;

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

/** A command, as it is started inside. */
export interface InsideLaunch {
  readonly session: string;
  readonly file: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly umask?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly pty?: TerminalSize;
  readonly streams: 'merged' | 'apart';
  readonly stdin: 'closed' | 'open';
}

/** What the gateway says. */
export type Order =
  | {
      readonly type: 'welcome';
      /** Names its processes beside their session. */
      readonly owner: string;
      readonly graceMs: number;
      readonly places: InsidePlaces;
      /** How many processes and threads there may be before the session that has the most of them is ended. */
      readonly mostTasks?: number;
      /** The port that programs reach the allowed part of the network through; none when there is no way out. */
      readonly proxyPort?: number;
    }
  | { readonly type: 'launch'; readonly launch: InsideLaunch }
  | { readonly type: 'kill'; readonly n: number; readonly session: string; readonly graceMs: number }
  | { readonly type: 'resize'; readonly size: TerminalSize }
  | { readonly type: 'endInput' }
  /** SIGINT to the process group of a command. */
  | { readonly type: 'interrupt' }
  | { readonly type: 'abort' }
  | { readonly type: 'ping'; readonly n: number }
  /** The answer to a `connect`. */
  | { readonly type: 'connected' }
  | { readonly type: 'refused'; readonly reason: string }
  /** A connection is over at once, without its rest. */
  | { readonly type: 'cut' };

/** What the agent says; nothing of it is true because it was said. */
export type News =
  | { readonly type: 'hello'; readonly protocol: number }
  | {
      readonly type: 'started';
      /** Counted inside of the sandbox. */
      readonly pid: number;
      readonly pty: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly type: 'exit'; readonly exit: Exit }
  | { readonly type: 'inputClosed' }
  /** It is being ended, because there are too many processes. */
  | { readonly type: 'limited' }
  | { readonly type: 'killed'; readonly n: number; readonly ok: boolean }
  | { readonly type: 'pong'; readonly n: number }
  | { readonly type: 'connect'; readonly host: string; readonly port: number }
  | { readonly type: 'cut' };
