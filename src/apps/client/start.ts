/** Starts the daemon: a process of its own session, in the root folder, with a minimal environment. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { isSettingVariable } from '../../config/config-files.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import { daemonFolder, daemonLog } from '../daemon/pointer.ts';

/** What a daemon that was started says about itself. */
export interface Started {
  /** The exit code, as soon as it has ended. */
  readonly exit: () => number | undefined;
  /** What it has printed since it was started, its end at most. */
  logTail(): string;
}

const PATH = '/usr/local/bin:/usr/bin:/bin';
/**
 * Nothing else of the caller's environment: what commands inherit comes with each request, and no caller settles by a
 * variable of its own what the commands of all others are judged by.
 */
const KEPT =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_(?:CONFIG_HOME|STATE_HOME|RUNTIME_DIR)|PINCER_\w+)$/u;
const LONGEST_TAIL = 4_096;

export function startDaemon(program: string, stateDir: string): Started {
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
    throw new Fault(
      'GATEWAY_START_FAILED',
      `the daemon has no place in the state folder: ${(error as Error).message}`,
      {
        hint: 'make the state folder writable, or name another in PINCER_STATE_DIR',
        cause: error,
      },
    );
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
