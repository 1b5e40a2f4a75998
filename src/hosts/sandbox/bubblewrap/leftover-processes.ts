/** Whether processes of commands that have ended still run in a sandbox, seen from outside. */
import { readdirSync } from 'node:fs';
import { processAt, procText } from '../../process/processes.ts';

const MOST_TRIES = 3;
const FIRST = 1;

/**
 * The agent's own processes are its children. A command is one of them while it runs; what it leaves behind becomes a child of
 * the first process inside. True where it cannot be told. `agent` is its number on this machine.
 */
export function hasLeftoverProcesses(agent: number): boolean {
  try {
    // What the sandbox sees: its own processes and no others.
    const proc = `/proc/${agent}/root/proc`;
    const own = numberInside(agent);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const pids = readdirSync(proc).filter((name) => /^\d+$/u.test(name));
      const entries = pids.map((pid) => processAt(Number(pid), proc));
      // A process that ended meanwhile may have started another one, which is not in the list.
      if (entries.includes(undefined)) continue;
      return entries.some(
        (entry) => entry?.ended === false && entry.pid !== FIRST && entry.pid !== own && entry.parent !== own,
      );
    }
    return true;
  } catch {
    return true; // it is about to end, or hidden from this user
  }
}

/** The number of a process in its own namespace, which is the last one. */
function numberInside(pid: number): number {
  const numbers = /^NSpid:\s*(.+)$/mu.exec(procText(`/proc/${pid}/status`))?.[1];
  return Number(numbers?.split(/\s+/u).at(-1));
}
