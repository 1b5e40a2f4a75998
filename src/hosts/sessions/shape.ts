/** THE SHAPE of sessions: every command is a session, and every reader is a position in its log. */
import type { ChosenNode } from '../../wire/chosen-node.ts';
import type { HostName } from '../../wire/policy.ts';
import type { Caller } from '../../wire/exec.ts';
import type {
  FollowListener,
  InputAnswer,
  LogPage,
  LogSlice,
  PollAnswer,
  Screen,
  SessionInfo,
  SessionInput,
  TerminalSize,
} from '../../wire/session.ts';
import type { SessionProcesses } from '../../wire/sessions/processes.ts';
import type { RecordingPage } from '../../wire/sessions/recording.ts';
import type { Launch, Launcher } from '../process/launch.ts';
import type { Leftovers } from '../process/leftovers.ts';

export interface SessionStart {
  /** Without `session`: the registry assigns the id. */
  readonly launch: Omit<Launch, 'session'>;
  readonly caller: Caller;
  readonly command: string;
  /** Secrets in the command are masked. */
  readonly masked?: true;
  readonly host: HostName;
  readonly sandbox?: true;
  /** The paired machine that runs it, and that enforces its timeout. */
  readonly node?: ChosenNode;
  /** Seconds; 0 for none. */
  readonly timeout: number;
  readonly background: boolean;
  /** Its log is on the disk when it is long, or after `background`. Default: a background session is on the disk from its start. */
  readonly followed?: true;
  /** The first follower gets every byte: the command waits if it is too fast for it. */
  readonly attached?: true;
  readonly approvalId?: string;
  /** How much of its log is kept, and for how long after its end (default: the limits of all sessions). */
  readonly maxLogBytes?: number;
  readonly keepMs?: number;
}

export interface Session {
  readonly id: string;
  info(): SessionInfo;
  /** All output so far within the limit: its start and its end, with a count of what is left out. */
  output(maxChars: number): LogSlice;
  /** Resolves when the session ends, after `ms`, or when the signal fires. */
  ended(ms?: number, signal?: AbortSignal): Promise<SessionInfo>;
  /** From now on it is listed, and its end causes a notice. */
  background(): void;
  /** Sends an interrupt, as Ctrl-C does; the command may continue. Kills it if it cannot be interrupted. */
  interrupt(): Promise<void>;
  kill(failure: 'killed' | 'aborted' | 'timeout'): Promise<void>;
  readonly warnings: readonly string[];
  /** Nothing was run: the program or the folder was not the one that was judged. */
  readonly changed: boolean;
}

/** A session that a host continues after a restart of this process, or that it started without an answer to its caller. */
export interface AdoptedSession {
  /** Its id, unless another session has it by now. */
  readonly id: string;
  /** When it started, if no record says so. */
  readonly startedAt: number;
  readonly start: SessionStart;
  /** `position`: where the local copy of its log ends. */
  readonly runner: (position: number) => Pick<Launcher, 'launch'>;
  /** Gets the id before the session is connected with its command. */
  readonly starting?: (id: string) => void;
}

export interface SessionsOptions {
  /** For logs: one folder per session. */
  readonly folder: string;
  /** The limit for one log on disk (default: 1 GiB). */
  readonly maxLogBytes?: number;
  /** How long a finished session is kept (default: 30 minutes). */
  readonly keepMs?: number;
  /** How many finished and read sessions of an agent are kept (default 200). */
  readonly keepCount?: number;
  /** With this many unread finished sessions an agent cannot start more (default 2,000). */
  readonly unreadCount?: number;
  /** The limit for all logs of one agent on disk (default 2 GiB). */
  readonly agentBytes?: number;
  /** The wall clock, for display. */
  readonly now?: () => number;
  /** A monotonic clock, for all waiting. */
  readonly monotonic?: () => number;
  /** Finds processes that sessions left behind; without it there are none. */
  readonly leftovers?: Leftovers;
  /** Where it returns a promise, the end is reported when that resolves. */
  readonly onEnd?: (session: SessionInfo) => void | Promise<void>;
  /** Whether the end of a session is still to be reported: it is kept for the next process. */
  readonly isUnreported?: (sessionId: string) => boolean;
  /** Ids of sessions that `adopt` continues after a restart: they run on other machines, so they are not lost. */
  readonly continuing?: ReadonlySet<string>;
}

export interface Sessions {
  /** Resolves when the sessions of a dead daemon are restored: as `lost`, or as they ended. */
  readonly ready: Promise<void>;
  /** `starting` gets the id before anything runs; if it throws, nothing runs. */
  start(start: SessionStart, runner: Pick<Launcher, 'launch'>, starting?: (id: string) => void): Promise<Session>;
  /**
   * Connects a session with a command that runs elsewhere. It continues with its local copy of the log, if there is one. A session
   * that had ended before the restart is returned as it ended.
   */
  adopt(adopted: AdoptedSession): Promise<Session>;
  /** This id, or another one where a session has it. */
  freeId(wanted: string): string;
  /** Removes what a session of an earlier daemon left that `adopt` will not continue. No effect for any other session. */
  discard(id: string): Promise<void>;
  /** What the caller may see, newest first, with at most 500 ended ones; without delivered foreground sessions. */
  list(caller: Caller): readonly SessionInfo[];
  /** Searches for processes that ended sessions left behind; later lists and clears use the result. */
  findLeftovers(): Promise<void>;
  /** Ends the processes that an ended session left behind; returns how many there were. */
  endLeftovers(id: string): Promise<number>;
  /** How many sessions have ended and left processes behind. */
  readonly withLeftovers: number;
  /** The caller's session with this id or unique prefix; else EXEC_SESSION_UNKNOWN, also for another agent's session. */
  find(caller: Caller, id: string): Session;
  poll(caller: Caller, id: string, waitMs: number, signal?: AbortSignal): Promise<PollAnswer>;
  log(caller: Caller, id: string, offset?: number, limit?: number): Promise<LogPage>;
  /** `typist`: a person at the control page, who needs the control. */
  input(caller: Caller, id: string, input: SessionInput, typist?: string): Promise<InputAnswer>;
  screen(caller: Caller, id: string): Promise<Screen>;
  /** Whole lines of its recording. Fails with EXEC_NO_TERMINAL where there is none. */
  recording(caller: Caller, id: string, from?: number, maxBytes?: number): Promise<RecordingPage>;
  processes(caller: Caller, id: string): Promise<SessionProcesses>;
  /** Gives a typist the control, unless another one has it. */
  control(
    caller: Caller,
    id: string,
    typist: string,
    by: string,
  ): { readonly isTaken: boolean; readonly isNew: boolean; readonly session: SessionInfo };
  release(caller: Caller, id: string, typist: string): { readonly isReleased: boolean; readonly session: SessionInfo };
  resize(caller: Caller, id: string, size: TerminalSize, typist?: string): SessionInfo;
  /** Removes a finished session and its log. */
  clear(caller: Caller, id: string): SessionInfo;
  /** Waits for each promise of the listener before the next event; the session does not wait. */
  follow(
    caller: Caller,
    id: string,
    after: number,
    listener: FollowListener,
    signal?: AbortSignal,
  ): Promise<SessionInfo>;
  readonly running: number;
  /** How many of the running ones continue on other machines when this process ends. */
  readonly continuing: number;
  readonly finished: number;
  /** Ends every running session and waits for it. Those on other machines continue, unless a client is attached to them. */
  close(): Promise<void>;
}
