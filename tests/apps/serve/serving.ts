/** The built program at work: `pincer serve` with folders of its own, ended with its test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundedBy, PATIENCE_MS } from '../../support/patience.ts';

/** The built program. */
export const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'pincer.cjs');

export interface Home {
  readonly folder: string;
  readonly stateDir: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends whoever still is the daemon of this state folder, and removes everything. */
  remove(): Promise<void>;
}

/** Folders for one or more servers. */
export function makeHome(config?: object): Home {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ps-')));
  const stateDir = join(folder, 'state');
  const workspace = join(folder, 'work');
  for (const name of ['state', 'run', 'work', 'config/pincer'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n');
  if (config !== undefined) writeFileSync(join(folder, 'config', 'pincer', 'pincer.jsonc'), JSON.stringify(config));
  const env = {
    PATH: process.env['PATH']!,
    HOME: folder,
    PINCER_STATE_DIR: stateDir,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: folder,
  };
  const home: Home = {
    folder,
    stateDir,
    workspace,
    env,
    async remove() {
      await runPincer(home, ['daemon', 'stop', '--force']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return home;
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program once. */
export async function runPincer(home: Home, args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: home.workspace, env: home.env, stdio: 'pipe' });
  child.stdin.end();
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

export interface Server {
  /** Without a path. */
  readonly base: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  readonly said: Readonly<Record<string, unknown>>;
  readonly child: ChildProcess;
  stderr(): string;
  /** Asks with the token, unless the headers say otherwise. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Calls a tool and gives status and answer. */
  call(tool: string, args: unknown, signal?: AbortSignal): Promise<{ status: number; body: Answer }>;
  /** Sends a signal and gives the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Answer {
  readonly content?: readonly { readonly text: string }[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** Starts the server on any free port, by the programs of `prefix`; resolves when it is ready. */
export async function startServer(
  home: Home,
  args: readonly string[] = [],
  prefix: readonly string[] = [],
  command: 'serve' | 'gateway' = 'serve',
): Promise<Server> {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const [file, ...rest] = [...prefix, process.execPath, PROGRAM, command, ...port, ...args];
  const child = spawn(file!, rest, {
    cwd: home.workspace,
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = textOf(child.stderr);
  const exited = once(child, 'exit');
  const line = await Promise.race([
    firstLine(child),
    exited.then(([code]) => Promise.reject(new Error(`it ended with ${String(code)}: ${stderr()}`))),
  ]);
  const said = JSON.parse(line) as { url: string; tokenFile: string; pid: number };
  const base = said.url.replace(/\/mcp$/u, '');
  const token = readFileSync(said.tokenFile, 'utf8').trim();
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${base}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  return {
    base,
    port: Number(new URL(base).port),
    token,
    pid: said.pid,
    said,
    child,
    stderr,
    ask,
    async call(tool, args, signal) {
      const answer = await ask(`/v1/tools/${tool}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(args),
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: answer.status, body: (await answer.json()) as Answer };
    },
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const piece of child.stdout!) {
    text += String(piece);
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error('it said nothing');
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  return () => text;
}

/** Sends bytes over a socket of its own, says that no more come, and gives all that comes back. */
export function rawToTheEnd(port: number, bytes: string | Buffer): Promise<string> {
  return exchange(port, (socket) => socket.end(bytes));
}

/** Sends bytes over a socket of its own and gives all that comes back until the other side closes. */
export function raw(port: number, bytes: string | Buffer): Promise<string> {
  return exchange(port, (socket) => socket.write(bytes));
}

async function exchange(port: number, send: (socket: Socket) => void): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const text = textOf(socket);
  socket.on('error', () => {}); // a reset is an answer, too
  send(socket);
  const release = boundedBy(PATIENCE_MS, () => socket.destroy());
  await once(socket, 'close');
  release();
  return text();
}
