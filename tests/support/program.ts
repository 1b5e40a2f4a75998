import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const BIN = join(import.meta.dirname, '..', 'fixtures', 'bin');

export interface Program {
  /** Starts one process and resolves when it has ended. */
  run(...args: readonly string[]): Promise<Ended>;
  /** Starts one process that the caller ends; resolves when it has said its first words. */
  start(...args: readonly string[]): Promise<ChildProcess>;
  remove(): void;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Bundles a small program of `tests/fixtures/bin`, because Node 20 does not run TypeScript by itself. */
export async function buildProgram(name: string): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-bin-'));
  const file = join(folder, `${name}.mjs`);
  const bundle = await rolldown({ input: join(BIN, `${name}.ts`), platform: 'node', logLevel: 'warn' });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return {
    run: (...args) => runNode([file, ...args]),
    start: async (...args) => {
      const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      return child;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runNode(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Runs all the jobs, at most `width` of them at once. */
export async function inParallel<T>(width: number, jobs: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < jobs.length; at = next++) results[at] = await jobs[at]!();
  };
  await Promise.all(Array.from({ length: width }, work));
  return results;
}
