/** Starts the daemon in its own session, with `/` as current directory and a minimal environment. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { isSettingVariable } from '../../config/config-files.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import { ANOTHER_RUNS, daemonFolder, daemonLog } from '../daemon/pointer.ts';

interface StartedDaemon {
  /** The exit code; undefined while it runs. */
  readonly exit: () => number | undefined;
  /** The end of its output since the start. */
  logTail(): string;
}

const PATH = '/usr/local/bin:/usr/bin:/bin';
/**
 * The daemon inherits only these variables. Commands inherit the environment of their request, and the variables of one
 * caller must not change how the commands of other callers are judged.
 */
const KEPT =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_(?:CONFIG_HOME|STATE_HOME|RUNTIME_DIR)|PINCER_\w+)$/u;
const LONGEST_TAIL = 4_096;

const POLL_MS = 10;
/** How long a daemon that another process started may take to answer before another start is tried. */
const PATIENCE_MS = 1_000;

/** Starts a daemon and waits until one answers: this one, or one that another process started first. */
export async function startAndConnect<T>(
  program: string,
  stateDir: string,
  limitMs: number,
  tryConnect: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let started = startDaemon(program, stateDir);
  let endedAt: number | undefined;
  for (;;) {
    await pause(POLL_MS);
    const client = await tryConnect();
    if (client !== undefined) return client;
    const code = started.exit();
    if (code !== undefined && code !== 0 && code !== ANOTHER_RUNS)
      throw startFailed(started, stateDir, `exited with code ${code}`);
    if (performance.now() > deadline) throw startFailed(started, stateDir, `did not answer within ${limitMs} ms`);
    if (code === undefined) continue;
    endedAt ??= performance.now();
    if (performance.now() - endedAt < PATIENCE_MS) continue;
    started = startDaemon(program, stateDir); // the other daemon was about to exit, or has died
    endedAt = undefined;
  }
}

function startFailed(started: StartedDaemon, stateDir: string, what: string): Fault {
  const tail = started.logTail().trim();
  const output = tail === '' ? '' : `: ${tail.split('\n').slice(-3).join(' | ')}`;
  return new Fault('GATEWAY_START_FAILED', `the daemon ${what}${output}`, {
    hint: `see its log ${daemonLog(stateDir)}`,
    details: { log: tail },
  });
}

function startDaemon(program: string, stateDir: string): StartedDaemon {
  const log = openLog(stateDir);
  const from = fstatSync(log).size;
  try {
    const child = spawn(process.execPath, [program, 'daemon', 'run'], {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: daemonEnvironment(stateDir),
    });
    child.unref();
    let code: number | undefined;
    child.on('error', () => (code = 126));
    child.on('exit', (status) => (code = status ?? 128));
    return { exit: () => code, logTail: () => readFrom(daemonLog(stateDir), from) };
  } finally {
    closeSync(log);
  }
}

function daemonEnvironment(stateDir: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && KEPT.test(name) && !isSettingVariable(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH, PINCER_STATE_DIR: stateDir };
}

function openLog(stateDir: string): number {
  try {
    makeFolder(daemonFolder(stateDir));
    return openSync(daemonLog(stateDir), 'a', 0o600);
  } catch (error) {
    throw new Fault('GATEWAY_START_FAILED', `cannot write the log of the daemon: ${(error as Error).message}`, {
      hint: 'make the state folder writable, or set PINCER_STATE_DIR to another folder',
      cause: error,
    });
  }
}

function readFrom(file: string, from: number): string {
  const fd = openSync(file, 'r');
  try {
    const start = Math.max(from, fstatSync(fd).size - LONGEST_TAIL);
    const buffer = Buffer.alloc(LONGEST_TAIL);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, LONGEST_TAIL, start));
  } finally {
    closeSync(fd);
  }
}
