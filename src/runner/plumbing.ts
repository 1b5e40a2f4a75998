/** Where the streams of a command go: to its own connections (direct.ts), or through this process into a channel (relayed.ts). */
import type { Socket } from 'node:net';
import type { StreamName } from '../hosts/process/streams/stage-streams.ts';
import type { CallStreams } from '../hosts/channel/call-streams.ts';
import type { Launch } from '../hosts/process/launch.ts';
import type { RunReport } from '../hosts/process/runner-messages.ts';
import type { TerminalReader } from '../hosts/process/terminal-library.ts';

/** A command that is to be started. */
export interface Run {
  readonly id: number;
  readonly launch: Launch;
  readonly report: (event: RunReport) => void;
  /** The streams of the call that started it, where programs have no connections of their own. */
  readonly streams?: CallStreams;
}

/** `pipe`: made by Node. */
export type Stdio = Socket | number | 'ignore' | 'pipe';

/** A program with the streams that Node made for it. */
export interface StartedProgram {
  readonly stdin: unknown;
  readonly stdout: unknown;
  readonly stderr: unknown;
}

export interface Plumbing {
  /** The streams of a run, or the reason why there are none. */
  open(run: Run): Promise<Streams | string>;
}

export interface Streams {
  /** Returns what a program inherits for a stream of the launch. */
  stdio(): Promise<(name: StreamName) => Stdio>;
  /** The programs were started, in this order. Closes this process's copies of their descriptors. */
  attach(programs: readonly StartedProgram[]): void;
  /** Carries both directions of a terminal. */
  carry(screen: Socket): TerminalReader;
  /** Nothing was started. */
  discard(): void;
  /** All programs have ended: `lingers` is called when output may still come, and `gone` when all of it was sent. */
  ended(lingers: () => void, gone: () => void): void;
}
