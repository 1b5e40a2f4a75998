import { Fault } from '../../../base/fault.ts';
import type { Located, Recovery } from '../shape.ts';
import { isCommitted, isUnderWay, journalIds, readJournal } from '../batch/journal.ts';
import { takeLocks, type LockOptions } from './locks.ts';
import { recover } from '../batch/recover.ts';

/** Files whose locks this thread holds, and over which no dead batch was found since it took them. */
const clear = new Set<string>();

/**
 * Runs `work` while no other Pincer process can write these files. A batch over one of them that died after it
 * counted as done is completed first: its lock was just broken, and its new bytes must not be written over.
 */
export function exclusively<T>(files: readonly Located[], options: LockOptions, work: () => T): T {
  const paths = files.map((file) => file.path);
  const keys = paths.map((path) => `${options.stateDir}\0${path}`).filter((key) => !clear.has(key));
  // This thread holds all of these locks already, further up, and holds them until that call is done.
  if (keys.length === 0) return work();
  let failed: Recovery['failed'] | undefined;
  for (;;) {
    const held = takeLocks(paths, options);
    try {
      const dead = deadBatchOver(paths, options.stateDir);
      if (dead === undefined) {
        for (const key of keys) clear.add(key);
        return work();
      }
      if (failed !== undefined) throw unfinished(paths, dead, failed);
    } finally {
      for (const key of keys) clear.delete(key);
      held.release();
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
  return new Fault('FS_BATCH_UNFINISHED', `a batch that died over ${paths.join(', ')} cannot be completed${why}`, {
    hint: 'remove the cause and run the command again; the journal folder in the state folder holds the batch',
    details: { paths, journal },
  });
}
