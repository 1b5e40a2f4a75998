import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes the logs that a program which died left behind and that are older than a finished session may be, and gives
 * the names of the others, so that no new session takes one.
 */
export async function clearLeftovers(folder: string, keepMs: number): Promise<ReadonlySet<string>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const kept = new Set<string>();
  for (const name of names) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(join(path, 'log')).catch(() => ({ mtimeMs: 0 })); // no log: nothing worth keeping
    if (Date.now() - mtimeMs < keepMs) kept.add(name);
    else await rm(path, { recursive: true, force: true }).catch(() => kept.add(name));
  }
  return kept;
}
