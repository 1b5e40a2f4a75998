/** OOM priority: commands first, then the tools, then the process that started them. */
import { writeFileSync } from 'node:fs';

/** As the kernel adds it to what a process uses, in thousandths of all memory. */
export const COMMANDS_OOM_PRIORITY = 500;
export const TOOLS_OOM_PRIORITY = 100;

/** The kernel ends the process sooner, the higher it is; raising it needs no privilege. */
export function setOomPriority(pid: number, thousandths: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, `${thousandths}`);
  } catch {
    // It has ended already, or the kernel refuses: then it keeps that of its parent.
  }
}
