// @ts-check
/** Processor time of this process and of all its descendants that have ended and were waited for; in a worker, of its thread. */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Linux reports process times in ticks of 10 ms on every architecture. */
const TICK_SECONDS = 0.01;

/** User and system time so far, in seconds; undefined where the kernel does not report that of children. */
export function processorSeconds() {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync(isMainThread ? '/proc/self/stat' : '/proc/thread-self/stat', 'utf8');
  // The second field is the program's name in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Own user and system time, then those of children, which threads have in common.
  const ticks = fields.slice(11, isMainThread ? 15 : 13).map(Number);
  return ticks.reduce((sum, value) => sum + value, 0) * TICK_SECONDS;
}
