/** THE SHAPE of sessions: every command is one, and every reader is a cursor on its log. */
import type { HostName } from '../../wire/policy.ts';
import type { Caller } from '../../wire/exec.ts';
import type {
  FollowEvent,
  InputAnswer,
  LogPage,
  LogSlice,
  PollAnswer,
  Screen,
  SessionInfo,
  SessionInput,
  TerminalSize,
} from '../../wire/session.ts';
import type { Launch, Launcher } from '../process/launch.ts';
import type { Leftovers } from '../process/leftovers.ts';

/** What a session is made of. */
export interface SessionStart {
  /** Without `session`: the registry gives the id. */
  readonly launch: Omit<Launch, 'session'>;
  readonly caller: Caller;
  readonly command: string;
  readonly host: HostName;
  /** It runs in a sandbox. */
  readonly sandbox?: true;
  /** Seconds; 0 for none. */
  readonly timeout: number;
  readonly background: boolean;
  /** Its first follower gets every byte: a command that is too fast for it waits. */
  readonly attached?: true;
  readonly approvalId?: string;
  /** How much of its log is kept, and for how long after its end (default: what holds for all sessions). */
  readonly maxLogBytes?: number;
  readonly keepMs?: number;
}

export interface Session {
  readonly id: string;
  info(): SessionInfo;
  /** Everything so far within the caps: the start and the end of the output, with what is left out counted. */
  output(maxChars: number): LogSlice;
  /** Resolves with the end of the session, or after `ms` while it goes on. */
  ended(ms?: number): Promise<SessionInfo>;
  /** From now on it is listed, and its end is told. */
  background(): void;
  /** Interrupts it as Ctrl-C does; it may go on. One that can only be ended is. */
  interrupt(): Promise<void>;
  kill(failure: 'killed' | 'aborted' | 'timeout'): Promise<void>;
  readonly warnings: readonly string[];
  /** Nothing was run: the program or the folder was not the one that was judged. */
  readonly changed: boolean;
}

export interface SessionsOptions {
  /** Where logs are spilled: one folder per session. */
  readonly folder: string;
  /** How much of one log is kept on the disk (default: 1 GiB). */
  readonly maxLogBytes?: number;
  /** How long a finished session is kept (default: 30 minutes). */
  readonly keepMs?: number;
  /** How many finished sessions of an agent are kept whose output was read (default 200). */
  readonly keepCount?: number;
  /** How many finished sessions of an agent may be unread before it can start no more (default 2,000). */
  readonly unreadCount?: number;
  /** What all logs of one agent may take on the disk (default 2 GiB). */
  readonly agentBytes?: number;
  /** The wall clock, for the times that are shown. */
  readonly now?: () => number;
  /** A clock that never jumps, for all that is waited for. */
  readonly monotonic?: () => number;
  /** Finds processes that sessions left behind; without it there are none. */
  readonly leftovers?: Leftovers;
  /** Called once for each session that ends. */
  readonly onEnd?: (session: SessionInfo) => void;
}

export interface Sessions {
  /** Resolves when the sessions that a daemon which died has left are known: as `lost`, or as they ended. */
  readonly ready: Promise<void>;
  /** `starting` hears the id before anything runs; when it throws, nothing does. */
  start(start: SessionStart, runner: Pick<Launcher, 'launch'>, starting?: (id: string) => void): Promise<Session>;
  /** What the caller may see, newest first, at most 500 of those that ended; not those that ended in the foreground with all told and nothing left. */
  list(caller: Caller): readonly SessionInfo[];
  /** Looks for processes that ended sessions left behind; what is listed and cleared afterwards goes by that. */
  look(): Promise<void>;
  /** Ends the processes that a session left behind when it ended; gives how many there were. */
  endLeftovers(id: string): Promise<number>;
  /** How many sessions have ended and left processes behind. */
  readonly withLeftovers: number;
  /** The caller's session with this id or unique start of an id; EXEC_SESSION_UNKNOWN otherwise, also for another agent's. */
  find(caller: Caller, id: string): Session;
  poll(caller: Caller, id: string, waitMs: number, signal?: AbortSignal): Promise<PollAnswer>;
  log(caller: Caller, id: string, offset?: number, limit?: number): Promise<LogPage>;
  input(caller: Caller, id: string, input: SessionInput): Promise<InputAnswer>;
  screen(caller: Caller, id: string): Promise<Screen>;
  resize(caller: Caller, id: string, size: TerminalSize): SessionInfo;
  /** Forgets a finished session and removes its log. */
  clear(caller: Caller, id: string): SessionInfo;
  /** While a promise of the listener is open it hears nothing more, and the session goes on without it. */
  follow(
    caller: Caller,
    id: string,
    after: number,
    listener: (event: FollowEvent) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<SessionInfo>;
  readonly running: number;
  readonly finished: number;
  /** Ends every running session and waits for it. */
  close(): Promise<void>;
}
