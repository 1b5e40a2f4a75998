// @ts-check
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Linux reports process times in ticks of 10 ms on every architecture. */
const TICK_SECONDS = 0.01;

/**
 * Processor time so far, in seconds, of this process and of all its descendants that have ended and were waited for; in a
 * worker, of its thread. Undefined where the kernel does not report it.
 */
export function processorSeconds() {
  if (process.platform !== 'linux') return undefined;
  return isMainThread ? secondsIn('/proc/self/stat', 4) : threadSeconds();
}

/** Processor time so far, in seconds, of this thread; where the kernel does not report it, of this process. */
export function threadSeconds() {
  if (process.platform === 'linux') return secondsIn('/proc/thread-self/stat', 2);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Processor time so far, in seconds, of another process without its children; Linux only. @param {number} pid */
export function secondsOfProcess(pid) {
  return secondsIn(`/proc/${pid}/stat`, 2);
}

/** Own user and system time, then those of children. @param {string} file @param {number} count */
function secondsIn(file, count) {
  const stat = readFileSync(file, 'utf8');
  // The second field is the program's name in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 11 + count).map(Number);
  return ticks.reduce((sum, value) => sum + value, 0) * TICK_SECONDS;
}
