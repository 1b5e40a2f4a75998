// @ts-check
/** Processor time of this process and of all its descendants that have ended and were waited for. */
import { readFileSync } from 'node:fs';

/** Linux reports process times in ticks of 10 ms on every architecture. */
const TICK_SECONDS = 0.01;

/** User and system time so far, in seconds; undefined where the kernel does not report that of children. */
export function processorSeconds() {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The second field is the program's name in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [own, system, children, childrenSystem] = fields.slice(11, 15).map(Number);
  return ((own ?? 0) + (system ?? 0) + (children ?? 0) + (childrenSystem ?? 0)) * TICK_SECONDS;
}
