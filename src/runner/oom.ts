/** Who goes first when memory runs out: commands before the tools, and the tools before the agent that watches them all. */
import { writeFileSync } from 'node:fs';

/** As the kernel adds it to what a process uses, in thousandths of all memory. */
export const COMMANDS_GO = 500;
export const TOOLS_GO = 100;

/** Tells the kernel; everybody may make a process of his own go sooner. */
export function volunteer(pid: number, thousandths: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, `${thousandths}`);
  } catch {
    // It has ended already, or the kernel does not let it: then it is as likely to go as the agent.
  }
}
