import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, reason, stateUnusable } from '../faults.ts';
import { isRacy } from '../../obeyed/file-stamp.ts';

/** Errors that mean that this user cannot have begun a batch there. */
const NO_JOURNAL = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']);

const foundEmpty = new Map<string, bigint>();

export function journalFolder(stateDir: string): string {
  return join(stateDir, 'journal');
}

/**
 * The names in the journal folder: batches that run, or that dead processes left. Nearly always there are none, so that this
 * listing is all that recovery costs a command.
 */
export function leftovers(stateDir: string): readonly string[] {
  const folder = journalFolder(stateDir);
  try {
    // `stat` first: a failed `readdir` costs an exception, and nearly always there is no such folder.
    const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || foundEmpty.get(folder) === stats.mtimeNs) return [];
    const names = readdirSync(folder).sort();
    // The next entry changes the mtime, provided that the clock has ticked since.
    if (names.length === 0 && !isRacy(stats)) foundEmpty.set(folder, stats.mtimeNs);
    return names;
  } catch (error) {
    if (NO_JOURNAL.has(errnoOf(error) ?? '')) return [];
    throw stateUnusable(stateDir, reason(error), error);
  }
}
