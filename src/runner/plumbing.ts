/** Where the streams of a command go: to connections of its own (direct.ts), or through this process in frames (relayed.ts). */
import type { Socket } from 'node:net';
import type { TerminalReader } from '../hosts/process/terminal-library.ts';
import type { Run } from './commands.ts';

/** `pipe`: what Node makes; `join`: the errors go where the output goes, by a shell. */
export type Stdio = Socket | number | 'ignore' | 'pipe' | 'join';

/** A program, with the streams that Node has made for it. */
export interface StartedProgram {
  readonly stdin: unknown;
  readonly stdout: unknown;
  readonly stderr: unknown;
}

export interface Plumbing {
  /** The streams of one launch; a sentence when there can be none. */
  open(run: Run): Promise<Streams | string>;
}

export interface Streams {
  /** The input of the first program, the output of the last one, and the errors of all. */
  stdio(): Promise<readonly [input: Stdio, output: Stdio, errors: Stdio]>;
  /** Programs were started with them, in this order. What is theirs is closed here. */
  attach(programs: readonly StartedProgram[]): void;
  /** Carries both directions of a terminal. */
  carry(screen: Socket): TerminalReader;
  /** Nothing was started. */
  discard(): void;
  /** All programs have ended: `lingers` is called when output may still come, and `gone` when all of it was sent. */
  ended(lingers: () => void, gone: () => void): void;
}
