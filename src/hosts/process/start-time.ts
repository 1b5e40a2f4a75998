import { processAt } from './processes.ts';

/** When a process started, in the words of this system; with its number it names the process for good. */
export function startTimeOf(pid: number): string | undefined {
  return processAt(pid)?.startTime;
}
