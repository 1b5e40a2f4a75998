import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, reason, stateUnusable } from './faults.ts';

/** No such folder, none that this user could have written to, or a name that never was one: no batch was begun there. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']);

/** The folder of the journals inside the state folder. */
export function journalFolder(stateDir: string): string {
  return join(stateDir, 'journal');
}

/**
 * The names in the journal folder: batches under way, or left by processes that died. Nearly always none, so that
 * this one listing is all that recovery costs a command. A folder that may not be read holds nothing for this user.
 */
export function leftovers(stateDir: string): readonly string[] {
  const folder = journalFolder(stateDir);
  try {
    // Asked first, since a refused listing costs an exception, and there is nearly never such a folder.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return readdirSync(folder).sort();
  } catch (error) {
    if (NOTHING_THERE.has(errnoOf(error) ?? '')) return [];
    throw stateUnusable(stateDir, reason(error), error);
  }
}
