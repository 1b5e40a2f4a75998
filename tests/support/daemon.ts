/** A program with a small gateway, and folders for its daemons; every daemon is ended with its test. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readPointer } from '../../src/apps/daemon/pointer.ts';
import { isAlive } from '../../src/hosts/files/locks/owner.ts';
import { removeFolder } from './folder.ts';
import { until } from './patience.ts';
import type { Ended } from './program.ts';

/** The folders of one test. */
export interface Place {
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where a daemon lives for the time of a test. */
export function daemonPlace(stateName = 'state'): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pd-')));
  const stateDir = join(folder, stateName);
  const runtime = join(folder, 'run');
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  mkdirSync(runtime, { mode: 0o700 });
  onTestFinished(async () => {
    await endDaemon(stateDir);
    removeFolder(folder);
  });
  const env = { PATH: process.env['PATH']!, HOME: folder, PINCER_STATE_DIR: stateDir, XDG_RUNTIME_DIR: runtime };
  return { stateDir, env };
}

async function endDaemon(stateDir: string): Promise<void> {
  const pointer = readPointer(stateDir);
  if (pointer === undefined || !isAlive(pointer)) return;
  process.kill(pointer.pid, 'SIGTERM');
  await until(() => !isAlive(pointer), 'the end of the daemon');
}

/** Runs the program once. */
export function runProgram(
  program: string,
  place: Place,
  args: readonly string[],
  input?: string | Buffer,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      env: place.env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin?.on('error', () => {}); // it ended before it had read all
    child.stdin?.end(input);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
