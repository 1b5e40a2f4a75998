/** The worker's end: one task at a time, one answer to each, until the channel ends. */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Fault, faultData } from '../../base/fault.ts';
import type { Answer, FromWorker, TaskAnswer, ToWorker } from './messages.ts';
import { watchParent } from './parent-watch.ts';

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
