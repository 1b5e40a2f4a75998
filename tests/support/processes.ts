import { readFileSync } from 'node:fs';
import { isAlive } from '../../src/hosts/files/locks/owner.ts';

/** Whether a process runs. One that has ended and that nobody has waited for does not. */
export const isThere = (pid: number): boolean => isAlive({ pid, start: '' });

const TICKS_PER_SECOND = 100;

/** The processor time that a process has used, in steps of ten milliseconds. */
export function processorMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}
