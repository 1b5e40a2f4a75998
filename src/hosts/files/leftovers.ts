import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from './faults.ts';

/** The folder of the journals inside the state folder. */
export function journalFolder(stateDir: string): string {
  return join(stateDir, 'journal');
}

/**
 * The names in the journal folder: batches under way, or left by processes that died. Nearly always none, so that
 * this one listing is all that recovery costs a command. A folder that may not be read holds nothing for this user.
 */
export function leftovers(stateDir: string): readonly string[] {
  try {
    return readdirSync(journalFolder(stateDir)).sort();
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return [];
    throw error;
  }
}
