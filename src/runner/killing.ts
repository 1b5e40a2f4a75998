/** Ends the processes of commands, and helper processes of the runner. */
import { readFileSync } from 'node:fs';
import { killTree } from '../hosts/process/kill.ts';
import { markLines } from '../hosts/process/mark.ts';
import { processAt, type ProcessId } from '../hosts/process/processes.ts';

/** Whether all processes of a session are gone; `roots` are the programs that were started for it. */
export async function endSession(
  owner: string,
  session: string,
  roots: readonly ProcessId[],
  graceMs: number,
  cgroup?: string,
): Promise<boolean> {
  const mark = markLines(owner, session);
  try {
    await killTree({ roots, mark, ...(cgroup === undefined ? {} : { cgroup }) }, graceMs);
    return true;
  } catch {
    return false; // the caller reports that processes are left
  }
}

/** Kills a helper process of the runner. */
export async function endOwn(pid: number): Promise<void> {
  const startTime = processAt(pid)?.startTime;
  if (startTime !== undefined) await killTree({ roots: [{ pid, startTime }], mark: [] }, 0);
}

/** Whether a process was stopped by a signal. */
export function isStopped(pid: number): boolean {
  try {
    return /\) [Tt] /u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // it is gone, which is noticed elsewhere
  }
}
