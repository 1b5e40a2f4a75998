import { isAlive } from '../../src/hosts/files/owner.ts';

/** Whether a process runs. One that has ended and that nobody has waited for does not. */
export const isThere = (pid: number): boolean => isAlive({ pid, start: '' });
