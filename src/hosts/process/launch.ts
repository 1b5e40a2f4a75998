/** THE SHAPE of starting processes: what is to run, who hears its output, and the hand on what runs. */
import type { Identity } from '../../wire/policy.ts';
import type { ObeyedChange } from '../../wire/sandbox.ts';
import type { TerminalSize } from '../../wire/session.ts';

/** One program of a pipeline, by absolute path; no shell reads anything. */
export interface LaunchStage {
  /** The absolute real path of the program. */
  readonly file: string;
  /** With the name that the program sees as its own in front. */
  readonly argv: readonly string[];
  /** Checked at the last moment; a program with another identity is not started. */
  readonly identity?: Identity;
}

export interface Launch {
  /** The session's id; it stands in the environment of every process as PINCER_SESSION, and names them to `killTree`. */
  readonly session: string;
  /** Output of each goes to the next; the last one's exit code is the pipeline's. */
  readonly stages: readonly [LaunchStage, ...LaunchStage[]];
  readonly cwd: string;
  /** `dev:ino` of the working folder, checked at the last moment. */
  readonly cwdIdentity?: string;
  /** The mask that its files are made with (default: that of the launcher). */
  readonly umask?: number;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs in a terminal of this size; for one stage only. */
  readonly pty?: TerminalSize;
  /** `merged`: both streams come in the order of writing, as `out`. */
  readonly streams: 'merged' | 'apart';
  readonly stdin: 'closed' | 'open';
}

/** How it ended. */
export type Exit = Ending & {
  /** What the host obeys and it made or changed. */
  readonly obeyed?: readonly ObeyedChange[];
  /** It was ended because of this limit of its sandbox. */
  readonly limit?: 'pids';
};

type Ending =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  /** Nothing was started. `changed` when the program or folder is not the one that was judged. */
  | { readonly kind: 'failed'; readonly reason: 'spawn-failed' | 'changed'; readonly message: string }
  /** The process that watched it died, or the sandbox around it; the message says why where that is known. */
  | { readonly kind: 'lost'; readonly message?: string };

/** Who hears a process. */
export interface Listener {
  /** The bytes are only good during the call. False asks for silence until `resume`. */
  output(stream: 'out' | 'err', bytes: Uint8Array): boolean;
  /** Once, when the last program has ended and the output that it left is delivered; a child of it that keeps the output open delays it for half a second at most, and output that comes later is still delivered. */
  exited(exit: Exit): void;
}

/** The hand on what runs. */
export interface Launched {
  readonly pid: number;
  /** Warnings such as `no PTY could be had (…): the command runs with pipes`. */
  readonly warnings: readonly string[];
  /** Whether it has a terminal. */
  readonly pty: boolean;
  /** Resolves when the bytes are handed over; rejects with EXEC_INPUT_CLOSED. */
  write(bytes: Uint8Array): Promise<void>;
  /** End of input; on a terminal the character EOT. */
  endInput(): void;
  resize(size: TerminalSize): void;
  resume(): void;
  /** SIGINT to its process groups, as a terminal sends it for Ctrl-C. */
  interrupt(): void;
  /** Ends the whole tree: TERM, `graceMs`, KILL; also what left the process group or the session. Resolves when it is gone. */
  kill(graceMs?: number): Promise<void>;
}

export interface Launcher {
  launch(launch: Launch, listener: Listener): Promise<Launched>;
  /** Ends all that runs, and the spawn helper. */
  close(): Promise<void>;
}
