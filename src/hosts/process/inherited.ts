/**
 * Descriptors that this process inherited and that every program it starts would inherit, too. Node sets close-on-exec on its
 * own; a descriptor that a terminal or a supervisor left open has no such flag.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC, as /proc shows it. */
const CLOSE_ON_EXEC = 0o2000000;

/** Their numbers, from `first` on; none where the system does not list them. */
export function inheritedDescriptors(first: number): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd >= first && !closesOnExec(fd));
}

export function closeInherited(first: number): void {
  for (const fd of inheritedDescriptors(first)) closeSync(fd);
}

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/mu.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true; // the descriptor of the listing itself
    throw error;
  }
}
