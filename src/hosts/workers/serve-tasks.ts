/** The worker: one task at a time, one answer to each, until the channel closes. */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Fault, faultData } from '../../base/fault.ts';
import { stackOf } from '../../base/message-of.ts';
import type { Answer, FromWorker, TaskAnswer, ToWorker } from './messages.ts';

/** A worker has a lower CPU priority than its parent, which serves all clients. */
const NICENESS = 10;
/** OOM priority: when the machine runs out of memory, the kernel ends a worker before its parent. */
const OOM_SCORE_ADJUSTMENT = '500';

/** `writing` is called before a write that the answer must report. */
type Handle = (task: unknown, signal: AbortSignal, writing: () => void) => Promise<unknown>;

/** Answers tasks until the parent exits or closes the channel. */
export function serveTasks(handle: Handle): void {
  lowerPriority();
  let abort = new AbortController();
  let isWatched = false;
  process.on('message', (message: ToWorker) => {
    if (message.type === 'abort') {
      abort.abort();
      return;
    }
    if (!isWatched) watchParent(message.parent);
    isWatched = true;
    abort = new AbortController();
    void answerTo(message.task, handle, abort.signal).then((answer) => {
      const sent: TaskAnswer = { ...answer, residentBytes: process.memoryUsage.rss() };
      process.send?.(sent);
    });
  });
  process.once('disconnect', () => process.exit(0));
}

async function answerTo(task: unknown, handle: Handle, signal: AbortSignal): Promise<Answer> {
  try {
    return {
      type: 'done',
      value: await handle(task, signal, () => process.send?.({ type: 'writing' } satisfies FromWorker)),
    };
  } catch (error) {
    if (error instanceof Fault) return { type: 'fault', ...faultData(error) };
    return { type: 'defect', message: stackOf(error) };
  }
}

/** Both are optional: if the system refuses, the worker only competes more with its parent. */
function lowerPriority(): void {
  for (const adjust of [
    () => setPriority(NICENESS),
    () => writeFileSync('/proc/self/oom_score_adj', OOM_SCORE_ADJUSTMENT),
  ]) {
    try {
      adjust();
    } catch {
      // Not on this system, or not for this user.
    }
  }
}

// Ends this process when its parent has exited, even while it computes without reading messages.

/** How often the thread checks, and after how many checks it ends the process: a write may complete in that time. */
const EVERY_MS = 500;
const CHECKS = 4;

/** Runs in the thread. `process.ppid` changes when the parent has exited. */
const WATCH = `
const { workerData: { parent, everyMs, checks } } = require('node:worker_threads');
let missed = 0;
setInterval(() => {
  missed = process.ppid === parent ? 0 : missed + 1;
  if (missed >= checks) process.kill(process.pid, 'SIGKILL');
}, everyMs);
`;

/** Starts the thread, which does not keep the process alive. */
function watchParent(parent: number): void {
  const workerData = { parent, everyMs: EVERY_MS, checks: CHECKS };
  const thread = new Worker(WATCH, { eval: true, workerData, env: {}, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // Without the thread the process still exits after its task, when the channel is closed.
  thread.once('error', () => {});
  thread.unref();
}
