import { statePart } from '../state-folder.ts';
import { lockWait, takeLock, type LockFile, type LockWait } from './lock-file.ts';

export interface LockOptions {
  readonly stateDir: string;
  /** How long to wait for one other writer, in milliseconds. Default: 30,000. */
  readonly lockWaitMs?: number;
  /** When to give up in any case, in `Date.now()` time. Default: when a moving queue has taken ten times `lockWaitMs`. */
  readonly lockDeadline?: () => number;
}

const DEFAULT_WAIT_MS = 30_000;

/** How often this thread has taken a lock: all work under locks is synchronous, so a second taking is a nested one. */
const depths = new Map<string, number>();

export interface Held {
  /** Whether the lock of a dead process was removed on the way. */
  readonly broke: boolean;
  release(): void;
}

/**
 * Files share so many locks: a batch over thousands takes no more than these. Who writes another file with the same
 * lock waits a moment longer, and that is all.
 */
const STRIPES = 64;

/** Takes the locks of these paths, always in the same order, so that two takers cannot wait for each other. */
export function takeLocks(paths: readonly string[], options: LockOptions): Held {
  const { folder, tickets } = lockFolders(options.stateDir);
  const wait = waitOf(options);
  const subjects = new Map([...paths].map((path) => [lockName(path), path]));
  const taken: { readonly key: string; readonly lock: LockFile | undefined }[] = [];
  const release = (): void => {
    for (const { key, lock } of taken.splice(0).toReversed()) {
      const depth = (depths.get(key) ?? 1) - 1;
      if (depth === 0) depths.delete(key);
      else depths.set(key, depth);
      lock?.release();
    }
  };
  try {
    for (const name of [...subjects.keys()].sort()) {
      const key = `${folder}/${name}`;
      const depth = depths.get(key) ?? 0;
      const lock = depth === 0 ? takeLock({ folder, tickets, name, subject: subjects.get(name)!, wait }) : undefined;
      depths.set(key, depth + 1);
      taken.push({ key, lock });
    }
  } catch (error) {
    release();
    throw error;
  }
  return { broke: taken.some(({ lock }) => lock?.broke), release };
}

/** The lock of a batch: whoever works off what it left. Files' locks are taken inside of it, never the other way. */
export function takeBatchLock(id: string, options: LockOptions): LockFile {
  const wait = waitOf(options);
  return takeLock({ ...lockFolders(options.stateDir), name: `batch-${id}`, subject: `the batch ${id}`, wait });
}

function waitOf({ lockWaitMs = DEFAULT_WAIT_MS, lockDeadline }: LockOptions): LockWait {
  const wait = lockWait(lockWaitMs);
  return { ...wait, deadline: Math.min(wait.deadline, lockDeadline?.() ?? wait.deadline) };
}

/** The folders of locks and tickets. */
export function lockFolders(stateDir: string): { readonly folder: string; readonly tickets: string } {
  return { folder: statePart(stateDir, 'locks'), tickets: statePart(stateDir, 'tickets') };
}

/** FNV-1a: names need to be spread, not secret. */
function lockName(path: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < path.length; i++) hash = Math.imul(hash ^ path.charCodeAt(i), 0x01000193);
  return `stripe-${String(((hash >>> 16) ^ hash) & (STRIPES - 1)).padStart(2, '0')}`;
}
