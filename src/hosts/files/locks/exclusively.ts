import { Fault } from '../../../base/fault.ts';
import type { Located, Recovery } from '../shape.ts';
import { isCommitted, isUnderWay, journalIds, readJournal } from '../batch/journal.ts';
import { takeLocks, type LockOptions } from './locks.ts';
import { recover } from '../batch/recover.ts';

/** Files that this thread has locked and for which it found no unfinished batch since. */
const clear = new Set<string>();

/**
 * Runs `work` while no other Pincer process can write these files. First it completes every committed batch over them whose
 * process died: its lock was just broken, and its new bytes must not be overwritten.
 */
export function exclusively<T>(files: readonly Located[], options: LockOptions, work: () => T): T {
  const paths = files.map((file) => file.path);
  const keys = paths.map((path) => `${options.stateDir}\0${path}`).filter((key) => !clear.has(key));
  // A caller further up in this thread holds all of these locks until it returns.
  if (keys.length === 0) return work();
  let failed: Recovery['failed'] | undefined;
  for (;;) {
    const locks = takeLocks(paths, options);
    try {
      const dead = deadBatchOver(paths, options.stateDir);
      if (dead === undefined) {
        for (const key of keys) clear.add(key);
        return work();
      }
      if (failed !== undefined) throw unfinished(paths, dead, failed);
    } finally {
      for (const key of keys) clear.delete(key);
      locks.release();
    }
    failed = recover({ ...options, batchWaitMs: 0 }).failed;
  }
}

function deadBatchOver(paths: readonly string[], stateDir: string): string | undefined {
  const wanted = new Set(paths);
  return journalIds(stateDir).find(
    (id) =>
      !isUnderWay(id) &&
      isCommitted(stateDir, id) &&
      readJournal(stateDir, id)?.some(
        (entry) => wanted.has(entry.file.path) || ('to' in entry && wanted.has(entry.to.path)),
      ),
  );
}

function unfinished(paths: readonly string[], journal: string, failed: Recovery['failed']): Fault {
  const reason = failed.find((failure) => failure.journal === journal)?.reason;
  const why = reason === undefined ? '' : `: ${reason}`;
  return new Fault('FS_BATCH_UNFINISHED', `an interrupted batch over ${paths.join(', ')} cannot be completed${why}`, {
    hint: 'remove the cause and run the command again; the batch is in the journal folder of the state folder',
    details: { paths, journal },
  });
}
