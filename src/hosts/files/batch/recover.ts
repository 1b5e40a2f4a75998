import { readdirSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import type { Recovery } from '../shape.ts';
import { clearUnfinished, completeEntry } from './complete-entry.ts';
import { Folders } from './folders.ts';
import { reason } from '../faults.ts';
import { isCommitted, isUnderWay, journalIds, readIntent, readJournal, removeJournal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { journalFolder } from './leftovers.ts';
import { lockWait, sweepLocks } from '../locks/lock-file.ts';
import { lockFolders, takeBatchLock, takeLocks, type LockOptions } from '../locks/locks.ts';
import { sleep } from '../locks/sleep.ts';
import { whyUntrusted } from '../state-folder.ts';

export interface RecoverOptions extends LockOptions {
  /** How long to wait for live processes that are completing a batch (default: 2 seconds). */
  readonly batchWaitMs?: number;
}

interface Report {
  readonly completed: string[];
  readonly conflicts: string[];
  readonly failed: { journal: string; reason: string }[];
}

/**
 * Recovers what batches left: completes those that were committed when their process died, removes the temporary files of
 * the others, and waits briefly for those that still run. It takes locks, so the caller may hold none.
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
  let recovered = 0;
  const deadline = Date.now() + (options.batchWaitMs ?? 2000);
  for (const id of ids) {
    if (waitForOwner(stateDir, id, deadline)) continue;
    try {
      recoverBatch(id, options, report);
      recovered++;
    } catch (error) {
      report.failed.push({ journal: id, reason: error instanceof Fault ? error.message : reason(error) });
    }
  }
  if (recovered > 0) {
    const { folder, tickets } = lockFolders(stateDir);
    sweepLocks(folder, tickets, [...readdirSync(folder), ...readdirSync(tickets)], lockWait(1000));
  }
  return report;
}

/** Whether a batch belongs to a live process. Waits for one that has committed. */
function waitForOwner(stateDir: string, id: string, deadline: number): boolean {
  while (isUnderWay(id)) {
    if (!isCommitted(stateDir, id) || Date.now() >= deadline) return true;
    sleep(2);
  }
  return false;
}

function recoverBatch(id: string, options: LockOptions, report: Report): void {
  const { stateDir } = options;
  const lock = takeBatchLock(id, options);
  const folders = new Folders();
  try {
    const entries = readJournal(stateDir, id);
    if (entries !== undefined) complete(entries, folders, options, report);
    clearUnfinished(readIntent(stateDir, id) ?? [], folders, stateDir);
    removeJournal(stateDir, id);
  } finally {
    folders.close();
    lock.release();
  }
}

function complete(entries: readonly JournalEntry[], folders: Folders, options: LockOptions, report: Report): void {
  const paths = entries.flatMap((entry) => ('to' in entry ? [entry.file.path, entry.to.path] : [entry.file.path]));
  const locks = takeLocks(paths, options);
  try {
    for (const entry of entries) {
      const { path } = 'to' in entry ? entry.to : entry.file;
      const result = completeEntry(entry, folders, options.stateDir);
      if (result === 'completed') report.completed.push(path);
      if (result === 'conflict') report.conflicts.push(path);
    }
    folders.flush();
  } finally {
    locks.release();
  }
}
