/** An operator with the built program, folders of its own, and a daemon that works with an engine of tests. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { removeFolder } from '../folder.ts';
import { IMAGE, type RunningEngine } from './engine.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'pincer.cjs');
const LONGEST_MS = 90_000;

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Operator {
  readonly workspace: string;
  /** Says what holds for sandboxes from now on, beside the engine and its image. */
  configure(sandbox: Readonly<Record<string, unknown>>): void;
  run(args: readonly string[], input?: string): Promise<Said>;
  /** What a tool answers. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Ends the daemon, and removes all. */
  leave(): Promise<void>;
}

export interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly details: Readonly<Record<string, unknown>>;
}

export function operatorWith({ name, socket }: RunningEngine): Operator {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-operator-')));
  const at = (...names: string[]): string => join(folder, ...names);
  for (const each of ['home', 'state', 'run', 'config/pincer', 'workspace'])
    mkdirSync(at(each), { recursive: true, mode: 0o700 });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: at('home'),
    PINCER_STATE_DIR: at('state'),
    XDG_RUNTIME_DIR: at('run'),
    XDG_CONFIG_HOME: at('config'),
    XDG_STATE_HOME: at('home', 'state'),
    XDG_DATA_HOME: at('home', 'data'),
    XDG_CACHE_HOME: at('home', 'cache'),
    GATEWAY_SECRET: 'HOST-SECRET',
  };
  const run = async (args: readonly string[], input?: string): Promise<Said> => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: at('workspace'),
      env,
      stdio: 'pipe',
      timeout: LONGEST_MS,
    });
    child.stdin.on('error', () => {}); // it ended before it had read all
    child.stdin.end(input ?? '');
    const code = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  };
  return {
    workspace: at('workspace'),
    configure: ({ docker, ...sandbox }) => {
      const container = { image: IMAGE, socket, ...(docker as object | undefined) };
      const config = { sandbox: { mode: 'all', backend: name, docker: container, ...sandbox } };
      writeFileSync(at('config', 'pincer', 'pincer.jsonc'), JSON.stringify(config));
    },
    run,
    async call(tool, args) {
      const { stdout, stderr } = await run(['call', tool, JSON.stringify(args)]);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Answer;
    },
    async leave() {
      await run(['daemon', 'stop', '--force']);
      removeFolder(folder);
    },
  };
}
