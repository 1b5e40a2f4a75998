/**
 * The one place where tests let time pass. It imports no vitest, because programs of `tests/fixtures` poll, too.
 * Tests import it through patience.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Less than a whole test has, so that it can still say what did not come; as `expect.poll` has it, see vitest.config.ts. */
export const PATIENCE_MS = 40_000;

const SHORTEST_POLL_MS = 1;
const LONGEST_POLL_MS = 20;

// A fake clock of a test must not stop its polls.
const {
  setTimeout: startTimer,
  setInterval: startInterval,
  clearTimeout: stopTimer,
  setImmediate: nextTurn,
} = globalThis;
const now = performance.now.bind(performance);

/** Polls a condition until it holds; throws at the bound. `what` completes "timed out after … ms waiting for". */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const end = now() + limitMs;
  for (let pauseMs = SHORTEST_POLL_MS; !(await holds()); pauseMs = Math.min(pauseMs * 2, LONGEST_POLL_MS)) {
    if (now() > end) throw new Error(`timed out after ${limitMs} ms waiting for ${what}`);
    await new Promise((resolve) => startTimer(resolve, pauseMs));
  }
}

/** A shell command that waits for the file `go` in its working folder: nobody knows how long a start takes. */
export const UNTIL_GO = 'until [ -e go ]; do sleep 0.05; done';

/** Ends something that hangs, after `ms`; the answer calls it off. */
export function boundedBy(ms: number, end: () => void): () => void {
  const timer = startTimer(end, ms);
  return () => stopTimer(timer);
}

/** Tries again with twice the time until the time was enough: short on a fast machine, and safe on a slow one. */
export async function withEnoughTime<T>(
  attempt: (ms: number) => Promise<T>,
  wasEnough: (result: T) => boolean,
  firstMs: number,
): Promise<T> {
  for (let ms = firstMs; ; ms *= 2) {
    const result = await attempt(ms);
    if (wasEnough(result) || ms >= PATIENCE_MS) return result;
  }
}

/** Lets the event loop turn: what this process has received, it has handled afterwards. */
export async function eventLoopTurns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => nextTurn(resolve));
}

const QUIET_POLLS = 5;

/**
 * Waits until another process has nothing to do but wait. A thread that waits for a processor counts as running, so a busy
 * machine does not look idle.
 */
export async function untilIdle(pid: number): Promise<void> {
  let quiet = 0;
  let before = '';
  await until(() => {
    const { state, progress } = activityOf(pid);
    quiet = state === 'asleep' && progress === before ? quiet + 1 : 0;
    before = progress;
    return quiet >= QUIET_POLLS;
  }, `process ${pid} to become idle`);
}

function activityOf(pid: number): { state: 'asleep' | 'running'; progress: string } {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')
      .replace(/^.*\) /su, '')
      .split(' '),
  );
  const progress = `${readFileSync(`/proc/${pid}/io`, 'latin1')} ${threads.map((fields) => `${fields[11]} ${fields[12]}`).join()}`;
  return { state: threads.every(([state]) => state === 'S') ? 'asleep' : 'running', progress };
}

/** Keeps a program that has nothing to do alive until it is killed. */
export function liveUntilKilled(): void {
  startInterval(() => undefined, 60_000);
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Gives the processor to other processes for a moment. It makes a race likelier; no result may depend on it. */
export function giveWay(): void {
  Atomics.wait(never, 0, 0, 1);
}
