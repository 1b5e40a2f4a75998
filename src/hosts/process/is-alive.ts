import { existsSync } from 'node:fs';

/** For cleaning up after an earlier process: a later one with the same number only delays that. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
