import { statePart } from '../state-folder.ts';
import { lockWait, takeLock, type LockFile, type LockWait } from './lock-file.ts';

export interface LockOptions {
  readonly stateDir: string;
  /** How long to wait for one other writer, in milliseconds. Default: 30,000. */
  readonly lockWaitMs?: number;
  /** When to give up in any case, in `Date.now()` time. Default: ten times `lockWaitMs`, for a queue that moves. */
  readonly lockDeadline?: () => number;
}

const DEFAULT_WAIT_MS = 30_000;

/** How often this thread holds each lock. All work under locks is synchronous, so a second taking is a nested one. */
const depths = new Map<string, number>();

/** Files share this many locks, so that a batch over thousands takes no more. Two files with one lock wait for each other. */
const STRIPES = 64;

/** Takes the locks of these paths, always in the same order, so that no two processes deadlock. */
export function takeLocks(paths: readonly string[], options: LockOptions): LockFile {
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

/** The lock for completing a batch. Locks of files are taken inside it, never the other way around. */
export function takeBatchLock(id: string, options: LockOptions): LockFile {
  const wait = waitOf(options);
  return takeLock({ ...lockFolders(options.stateDir), name: `batch-${id}`, subject: `the batch ${id}`, wait });
}

function waitOf({ lockWaitMs = DEFAULT_WAIT_MS, lockDeadline }: LockOptions): LockWait {
  const wait = lockWait(lockWaitMs);
  return { ...wait, deadline: Math.min(wait.deadline, lockDeadline?.() ?? wait.deadline) };
}

export function lockFolders(stateDir: string): { readonly folder: string; readonly tickets: string } {
  return { folder: statePart(stateDir, 'locks'), tickets: statePart(stateDir, 'tickets') };
}

/** FNV-1a: the names need an even distribution only. */
function lockName(path: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < path.length; i++) hash = Math.imul(hash ^ path.charCodeAt(i), 0x01000193);
  return `stripe-${String(((hash >>> 16) ^ hash) & (STRIPES - 1)).padStart(2, '0')}`;
}
