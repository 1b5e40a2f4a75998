// @ts-check
/** Starts programs with a clock on them. Whatever they started too is ended with them, by the id of their group. */
import { spawn } from 'node:child_process';

/**
 * @typedef {{ code: number | null, stdout: string, stderr: string, late: boolean, ms: number }} Ended
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, input?: string }} ChildOptions
 */

const USUAL_TIMEOUT_MS = 60_000;

/** The groups that run now. @type {Set<number>} */
const running = new Set();

/** Ends everything that runs when a person interrupts. */
export function endAllOnSignal() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.once(signal, () => {
      for (const pid of running) endGroup(pid);
      process.exit(130);
    });
}

/** Starts a program as the first of a group of its own. @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnOptions} options */
export function startGroup(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    running.add(pid);
    child.on('close', () => running.delete(pid));
  }
  return child;
}

/**
 * Runs a program to its end, without a terminal; its input is closed at once unless there is some.
 * @param {string} command @param {readonly string[]} args @param {ChildOptions} [options]
 * @returns {Promise<Ended>}
 */
export function runChild(command, args, { cwd, env, timeoutMs = USUAL_TIMEOUT_MS, input } = {}) {
  const started = performance.now();
  return new Promise((resolve) => {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = startGroup(command, args, { cwd, env, stdio: [stdin, 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let late = false;
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text));
    if (input !== undefined) child.stdin?.on('error', () => {}).end(input); // a program that does not read its input may leave
    const clock = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, timeoutMs);
    /** @param {number | null} code */
    const end = (code) => {
      clearTimeout(clock);
      resolve({ code, stdout, stderr, late, ms: performance.now() - started });
    };
    child.on('error', (error) => {
      stderr += error.message;
      end(127);
    });
    child.on('close', end);
  });
}

/**
 * Starts a program that stays, and gives the first line that it prints.
 * @param {string} command @param {readonly string[]} args @param {ChildOptions} [options]
 * @returns {Promise<{ line: string, stop: () => Promise<void>, stderr: () => string }>}
 */
export function startChild(command, args, { cwd, env, timeoutMs = USUAL_TIMEOUT_MS } = {}) {
  return new Promise((resolve, reject) => {
    const child = startGroup(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    const closed = new Promise((done) => child.on('close', done));
    const stop = async () => {
      child.kill('SIGTERM');
      const clock = setTimeout(() => endGroup(child.pid), 10_000);
      await closed;
      clearTimeout(clock);
    };
    const clock = setTimeout(() => {
      endGroup(child.pid);
      reject(new Error(`${command} printed no line within ${timeoutMs} ms\n${stderr}`));
    }, timeoutMs);
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const end = stdout.indexOf('\n');
      if (end === -1) return;
      clearTimeout(clock);
      resolve({ line: stdout.slice(0, end), stop, stderr: () => stderr });
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(clock);
      reject(new Error(`${command} ended with exit code ${code}\n${stderr}`));
    });
  });
}

/** Ends a whole group of processes. @param {number | undefined} pid */
export function endGroup(pid) {
  if (pid === undefined || pid <= 1) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error; // it has ended by itself
  }
}
