/** Whether a process runs, for what an earlier program left behind. */
import { existsSync } from 'node:fs';

/** Whether there is a process with this number; a later one with the same number only delays a cleaning. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
