/** A program with a small gateway, and folders for its daemons; every daemon is ended with its test. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';
import { readPointer } from '../../src/apps/gateway/pointer.ts';
import { isAlive } from '../../src/hosts/files/owner.ts';
import { REMOVAL } from './folder.ts';
import { PATIENCE_MS } from './patience.ts';
import type { Ended } from './program.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The daemon's composition gives way to the gateway of the tests. */
const withSmallGateway: Plugin = {
  name: 'small-gateway',
  resolveId: {
    filter: { id: /gateway\/compose\.ts$/u },
    handler: () => join(ROOT, 'tests', 'fixtures', 'bin', 'small-compose.ts'),
  },
};

/** Builds `small-pincer` into a folder and gives its path. */
export async function buildSmallPincer(folder: string): Promise<string> {
  const file = join(folder, 'pincer.cjs');
  const input = join(ROOT, 'tests', 'fixtures', 'bin', 'small-pincer.ts');
  const bundle = await rolldown({
    cwd: ROOT,
    input,
    platform: 'node',
    logLevel: 'silent',
    plugins: [withSmallGateway],
  });
  await bundle.write({ file, format: 'cjs', codeSplitting: false });
  await bundle.close();
  return file;
}

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
    rmSync(folder, REMOVAL);
  });
  const env = { PATH: process.env['PATH']!, HOME: folder, PINCER_STATE_DIR: stateDir, XDG_RUNTIME_DIR: runtime };
  return { stateDir, env };
}

async function endDaemon(stateDir: string): Promise<void> {
  const pointer = readPointer(stateDir);
  if (pointer === undefined || !isAlive(pointer)) return;
  process.kill(pointer.pid, 'SIGTERM');
  await until(() => !isAlive(pointer));
}

/** Waits until something holds; a bound keeps a test that fails from hanging. */
export async function until(holds: () => boolean, what = 'it', limitMs = PATIENCE_MS): Promise<void> {
  for (const start = Date.now(); !holds(); ) {
    if (Date.now() - start > limitMs) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
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
