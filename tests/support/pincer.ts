/** The built program, as a user runs it. A folder holds all of it: the workspace `ws`, a home and a state folder. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '../../dist/pincer.cjs');

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PincerOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the program is started by, with its arguments. */
  readonly prefix?: readonly string[];
}

/** Runs the program in the workspace of a folder and waits for its end. */
export function pincer(folder: string, args: readonly string[], options: PincerOptions = {}): Ran {
  const { input = '', env, prefix = [] } = options;
  const [file, ...rest] = [...prefix, process.execPath, PROGRAM, ...args];
  mkdirSync(join(folder, 'ws'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(file!, rest, {
    cwd: join(folder, 'ws'),
    input,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: join(folder, 'home'),
      PINCER_STATE_DIR: join(folder, 'state'),
      ...env,
    },
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

/** The answer of a tool. */
export interface Answer {
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly stderr: string;
}

/** Calls a tool through the program. */
export function callTool(
  folder: string,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  options: PincerOptions = {},
): Answer {
  const { stdout, stderr } = pincer(folder, ['call', tool, '-'], { ...options, input: JSON.stringify(args) });
  const answer = JSON.parse(stdout) as { content: { text: string }[]; details: Record<string, unknown> };
  return { text: answer.content.map(({ text }) => text).join('\n'), details: answer.details, stderr };
}
