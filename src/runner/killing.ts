/** Ends the processes of a command inside. */
import { readFileSync } from 'node:fs';
import { interruptGroups, killTree } from '../hosts/process/kill.ts';
import { markLines } from '../hosts/process/mark.ts';
import { processAt } from '../hosts/process/processes.ts';

/** Whether all processes of a session are gone; `pid` is its first one, while that one has not been waited for. */
export async function endSession(
  owner: string,
  session: string,
  pid: number | undefined,
  graceMs: number,
): Promise<boolean> {
  const startTime = pid === undefined ? undefined : processAt(pid)?.startTime;
  const roots = pid === undefined || startTime === undefined ? [] : [{ pid, startTime }];
  try {
    await killTree({ roots, mark: markLines(owner, session) }, graceMs);
    return true;
  } catch {
    return false; // the gateway tells who asked that processes are left
  }
}

/** SIGINT to the process group that a command leads. */
export function interruptCommand(pid: number | undefined): void {
  const startTime = pid === undefined ? undefined : processAt(pid)?.startTime;
  if (pid !== undefined && startTime !== undefined) interruptGroups([{ pid, startTime }]);
}

/** Ends a process of the agent's own at once. */
export async function endOwn(pid: number): Promise<void> {
  const startTime = processAt(pid)?.startTime;
  if (startTime !== undefined) await killTree({ roots: [{ pid, startTime }], mark: [] }, 0);
}

/** Whether somebody has stopped a process, so that it does nothing until somebody else lets it go on. */
export function isStopped(pid: number): boolean {
  try {
    return /\) [Tt] /u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // it is gone, which is heard in another way
  }
}
