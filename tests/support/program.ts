import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { builtScript, type ScriptName } from './built.ts';

export interface Program {
  /** Starts one process and resolves when it has ended. */
  run(...args: readonly string[]): Promise<Ended>;
  /** Starts one process that the caller ends; resolves when it has said its first words. */
  start(...args: readonly string[]): Promise<ChildProcess>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A small program of `tests/fixtures/bin`. */
export function fixtureProgram(name: ScriptName): Program {
  const file = builtScript(name);
  return {
    run: (...args) => runNode([file, ...args]),
    start: async (...args) => {
      const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      return child;
    },
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
