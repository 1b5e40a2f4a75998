import { lstatSync, readdirSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Recovery } from '../host.ts';
import { reason } from './faults.ts';
import { isCommitted, isUnderWay, journalIds, readIntent, readJournal, removeJournal } from './journal.ts';
import type { JournalEntry } from './journal.ts';
import { journalFolder } from './leftovers.ts';
import { removeIfThere, sleep, sweepLocks } from './lock-file.ts';
import { takeLocks, type LockOptions } from './locks.ts';
import { pinParent, type PinnedFolder } from './pin.ts';
import { statePart, whyUntrusted } from './state-folder.ts';
import { flushFolder } from './temp.ts';

export interface RecoverOptions extends LockOptions {
  /** How long to wait for living batches that are putting their files in place; 2 seconds unless told. */
  readonly batchWaitMs?: number;
}

interface Report {
  readonly completed: string[];
  readonly conflicts: string[];
  readonly failed: { journal: string; reason: string }[];
}

/**
 * Works off what batches left: completes those that counted as done when their process died, removes the unfinished
 * files of the others, and waits a little for those still under way. It takes locks, so the caller may hold none.
 */
export function recover(options: RecoverOptions): Recovery {
  const { stateDir } = options;
  const report: Report = { completed: [], conflicts: [], failed: [] };
  const ids = journalIds(stateDir);
  if (ids.length === 0) return report;
  const untrusted = whyUntrusted(stateDir) ?? whyUntrusted(journalFolder(stateDir));
  if (untrusted !== undefined) {
    report.failed.push({ journal: journalFolder(stateDir), reason: untrusted });
    return report;
  }
  let settled = 0;
  const deadline = Date.now() + (options.batchWaitMs ?? 2000);
  for (const id of ids) {
    if (waitForOwner(stateDir, id, deadline)) continue;
    try {
      settle(id, options, report);
      settled++;
    } catch (error) {
      report.failed.push({ journal: id, reason: error instanceof Fault ? error.message : reason(error) });
    }
  }
  if (settled > 0) {
    const locks = statePart(stateDir, 'locks');
    sweepLocks(locks, readdirSync(locks), Date.now() + 1000);
  }
  return report;
}

/** Whether a batch belongs to a living process. One that is putting its files in place is given time to finish. */
function waitForOwner(stateDir: string, id: string, deadline: number): boolean {
  while (isUnderWay(id)) {
    if (!isCommitted(stateDir, id) || Date.now() >= deadline) return true;
    sleep(2);
  }
  return false;
}

function settle(id: string, options: LockOptions, report: Report): void {
  const { stateDir } = options;
  const one = takeLocks([`${journalFolder(stateDir)}/${id}`], options);
  try {
    const entries = readJournal(stateDir, id);
    if (entries === undefined) clearUnfinished(readIntent(stateDir, id) ?? []);
    else complete(entries, options, report);
    removeJournal(stateDir, id);
  } finally {
    one.release();
  }
}

function complete(entries: readonly JournalEntry[], options: LockOptions, report: Report): void {
  const held = takeLocks(
    entries.map((entry) => entry.file.path),
    options,
  );
  try {
    for (const entry of entries) {
      const fate = inFolderOf(entry, (folder) => finish(folder, entry)) ?? 'conflict';
      if (fate === 'completed') report.completed.push(entry.file.path);
      if (fate === 'conflict') report.conflicts.push(entry.file.path);
    }
  } finally {
    held.release();
  }
}

function finish(folder: PinnedFolder, entry: JournalEntry): 'completed' | 'conflict' | 'already' {
  const temp = lstatSync(folder.at(entry.temp), { bigint: true, throwIfNoEntry: false });
  if (temp === undefined) return 'already';
  const leaf = basename(entry.file.path);
  const target = lstatSync(folder.at(leaf), { bigint: true, throwIfNoEntry: false });
  const { old } = entry;
  // Neither the device number, which a restart may change, nor the time of a change of mode says anything here.
  const untouched = target?.ino === old.ino && target.size === old.size && target.mtimeNs === old.mtimeNs;
  if (!untouched || temp.ino !== entry.ino || temp.size !== BigInt(entry.size)) {
    removeIfThere(folder.at(entry.temp));
    return 'conflict';
  }
  renameSync(folder.at(entry.temp), folder.at(leaf));
  flushFolder(folder.at('.'));
  return 'completed';
}

function clearUnfinished(entries: readonly JournalEntry[]): void {
  for (const entry of entries) inFolderOf(entry, (folder) => removeIfThere(folder.at(entry.temp)));
}

/** Runs `work` in the folder of an entry; undefined when that folder is gone or is another one now. */
function inFolderOf<T>(entry: JournalEntry, work: (folder: PinnedFolder) => T): T | undefined {
  let folder: PinnedFolder;
  try {
    folder = pinParent(entry.file);
  } catch (error) {
    if (error instanceof Fault && (error.code === 'FS_NOT_FOUND' || error.code === 'FS_CHANGED')) return undefined;
    throw error;
  }
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}
