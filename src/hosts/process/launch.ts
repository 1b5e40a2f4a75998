/** The interface for starting commands: what to run, the listener of its output, and the handle of a running command. */
import type { Identity } from '../../wire/policy.ts';
import type { ObeyedChange } from '../../wire/sandbox.ts';
import type { SessionFailure, TerminalSize } from '../../wire/session.ts';
import type { SessionProcesses } from '../../wire/sessions/processes.ts';

/** A stream of the command itself, or a numbered one that only one redirection uses. */
export type InputStream = 'in' | `in${number}`;
export type OutputStream = 'out' | 'err' | `out${number}`;

/** The three descriptors of a program: the pipe to its neighbour in the pipeline, a stream, or `/dev/null`. */
export interface StageStreams {
  readonly in: 'previous' | 'null' | InputStream;
  readonly out: 'next' | 'null' | OutputStream;
  readonly err: 'next' | 'null' | OutputStream;
}

/** One program of a pipeline, by absolute path; no shell reads anything. */
export interface LaunchStage {
  /** The absolute real path of the program. */
  readonly file: string;
  /** The first element is the name that the program sees as its own. */
  readonly argv: readonly string[];
  /** Checked right before the start; a program with another identity is not started. */
  readonly identity?: Identity;
  /** Default: a plain pipeline. Either all stages of a launch have it or none. */
  readonly streams?: StageStreams;
  /** Variables besides those of the launch. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Launch {
  /** The session's id. It is in the environment of every process as PINCER_SESSION, by which `killTree` finds them. */
  readonly session: string;
  /** A pipeline. Its exit code is that of the last stage. */
  readonly stages: readonly [LaunchStage, ...LaunchStage[]];
  readonly cwd: string;
  /** `dev:ino` of the working folder, checked right before the start. */
  readonly cwdIdentity?: string;
  /** Default: that of the launcher. */
  readonly umask?: number;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs in a terminal of this size. Only for a single stage. */
  readonly pty?: TerminalSize;
  /** `merged`: both streams arrive as `out`, in the order of writing. */
  readonly streams: 'merged' | 'apart';
  readonly stdin: 'closed' | 'open';
}

export type Exit = Ending & {
  /** Obeyed files that it created or changed. */
  readonly obeyed?: readonly ObeyedChange[];
  /** It was killed because of this limit of its sandbox. */
  readonly limit?: 'pids';
  /** Why the host ended it, for a host that has its own time limit. */
  readonly failure?: SessionFailure;
};

type Ending =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  /** Nothing was started. `changed`: the program or the folder is not the one that was judged. */
  | { readonly kind: 'failed'; readonly reason: 'spawn-failed' | 'changed'; readonly message: string }
  /** The runner or the sandbox ended; the message contains the reason where it is known. */
  | { readonly kind: 'lost'; readonly message?: string };

export interface Listener {
  /** The bytes are valid only during the call. False pauses the output until `resume`. */
  output(stream: 'out' | 'err', bytes: Uint8Array): boolean;
  /** Output of a numbered stream, as `output`. */
  collected?(stream: `out${number}`, bytes: Uint8Array): boolean;
  /** The host has dropped this much output. False pauses the output, as for `output`. Only hosts with a log of their own call it. */
  skipped?(bytes: number): boolean;
  /** The host of the command is not connected any more, or again. Only hosts on other machines call it. */
  connected?(isConnected: boolean): void;
  /**
   * Called once, when the last program has ended and its output was delivered. A child that keeps the output open delays this by
   * half a second at most; later output is still delivered.
   */
  exited(exit: Exit): void;
}

/** The handle of a command that was started. */
export interface Launched {
  readonly pid: number;
  /** Warnings such as `no PTY could be had (…): the command runs with pipes`. */
  readonly warnings: readonly string[];
  /** Whether it has a terminal. */
  readonly pty: boolean;
  /** Its folder, for a host that chooses it. */
  readonly cwd?: string;
  /** Since when its host is unreachable; undefined while it is connected. */
  readonly unreachableSince?: number | undefined;
  /** Resolves when the program's pipe has taken the bytes; rejects with EXEC_INPUT_CLOSED. */
  write(bytes: Uint8Array, stream?: InputStream): Promise<void>;
  /** Ends the input; on a terminal it sends the character EOT. */
  endInput(stream?: InputStream): void;
  resize(size: TerminalSize): void;
  resume(): void;
  /** Reads no more of this output: the program that writes it gets SIGPIPE. Only hosts with numbered streams have it. */
  closeOutput?(stream: `out${number}`): void;
  /** Sends SIGINT to its process groups, as a terminal does for Ctrl-C. */
  interrupt(): void;
  /** Ends all of its processes, also those that left the process group: TERM, `graceMs`, KILL. Resolves when they are gone. */
  kill(graceMs?: number): Promise<void>;
  /** Its processes, for a host on another machine. */
  processes?(): Promise<SessionProcesses>;
  /** Leaves the command to its host, which continues it. Only for hosts that outlive this process. */
  detach?(): void;
}

export interface Launcher {
  launch(launch: Launch, listener: Listener): Promise<Launched>;
  /** Ends all commands, and the runner. */
  close(): Promise<void>;
}
