/** OOM priority: commands first, then the tools, then the process that started them. */
import { writeFileSync } from 'node:fs';

/** Added to the memory use of a process, in thousandths of all memory. */
export const COMMANDS_OOM_PRIORITY = 500;
export const TOOLS_OOM_PRIORITY = 100;

/** The kernel kills processes with a higher priority first. Raising it needs no privilege. */
export function setOomPriority(pid: number, thousandths: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, `${thousandths}`);
  } catch {
    // It has ended, or the kernel refuses: it keeps the priority of its parent.
  }
}
