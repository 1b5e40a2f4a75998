/**
 * Descriptors that this process was started with and that every program it starts would inherit. Node closes those it
 * knows; one that a terminal or a supervisor left open would be seen by all.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** As the kernel shows it among a descriptor's flags. */
const CLOSE_ON_EXEC = 0o2000000;

/** Their numbers, from `first` on; none where the system does not tell. */
export function inheritedDescriptors(first: number): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd >= first && !closesOnExec(fd));
}

/** Closes them. */
export function closeInherited(first: number): void {
  for (const fd of inheritedDescriptors(first)) closeSync(fd);
}

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/mu.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true; // the folder that was being listed
    throw error;
  }
}
