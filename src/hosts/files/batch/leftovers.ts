import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, reason, stateUnusable } from '../faults.ts';
import { isRacy } from '../../obeyed/file-stamp.ts';

/** No such folder, none that this user could have written to, or a name that never was one: no batch was begun there. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']);

/** Journal folders that were empty, and when they had changed last. */
const foundEmpty = new Map<string, bigint>();

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
    const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || foundEmpty.get(folder) === stats.mtimeNs) return [];
    const names = readdirSync(folder).sort();
    // The next name changes the folder's time, provided that the clock has gone on since.
    if (names.length === 0 && !isRacy(stats)) foundEmpty.set(folder, stats.mtimeNs);
    return names;
  } catch (error) {
    if (NOTHING_THERE.has(errnoOf(error) ?? '')) return [];
    throw stateUnusable(stateDir, reason(error), error);
  }
}
