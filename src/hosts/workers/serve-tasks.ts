/** The worker's end: one task at a time, one answer to each, until the channel ends. */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Fault, faultData } from '../../base/fault.ts';
import type { Answer, FromWorker, TaskAnswer, ToWorker } from './messages.ts';

/** A worker leaves the processor to the process that answers everybody. */
const NICENESS = 10;
/** OOM priority: when the machine runs out of memory, the kernel ends a worker before its parent. */
const OOM_SCORE_ADJUSTMENT = '500';

/** `writing` is called before something is written that the answer must tell. */
type Handle = (task: unknown, signal: AbortSignal, writing: () => void) => Promise<unknown>;

/** Answers tasks until the parent ends or closes the channel. */
export function serveTasks(handle: Handle): void {
  yieldToParent();
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
    return { type: 'defect', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Both are favours to the parent; a system that refuses them only schedules less well. */
function yieldToParent(): void {
  for (const favour of [
    () => setPriority(NICENESS),
    () => writeFileSync('/proc/self/oom_score_adj', OOM_SCORE_ADJUSTMENT),
  ]) {
    try {
      favour();
    } catch {
      // Not on this system, or not for this user.
    }
  }
}

// Ends this process when its parent has ended, also while it works without a pause and hears nothing.

/** How often the thread looks, and how many looks without the parent end the process: what it writes may be done by then. */
const EVERY_MS = 500;
const LOOKS = 4;

/** In the thread; `process.ppid` is another one when the parent has ended. */
const WATCH = `
const { workerData: { parent, everyMs, looks } } = require('node:worker_threads');
let missed = 0;
setInterval(() => {
  missed = process.ppid === parent ? 0 : missed + 1;
  if (missed >= looks) process.kill(process.pid, 'SIGKILL');
}, everyMs);
`;

/** Starts the watch; it does not keep the process from ending. */
function watchParent(parent: number): void {
  const workerData = { parent, everyMs: EVERY_MS, looks: LOOKS };
  const thread = new Worker(WATCH, { eval: true, workerData, env: {}, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // Without a thread the process still ends when its work does and the channel is closed.
  thread.once('error', () => {});
  thread.unref();
}
