import { processAt } from './processes.ts';

/** The start time of a process in the format of this system; together with the pid it identifies the process. */
export function startTimeOf(pid: number): string | undefined {
  return processAt(pid)?.startTime;
}
