import { statePart } from './state-folder.ts';
import { takeLock, type LockFile } from './lock-file.ts';

export interface LockOptions {
  readonly stateDir: string;
  /** How long to wait for another writer; 30 seconds unless told. */
  readonly lockWaitMs?: number;
}

const DEFAULT_WAIT_MS = 30_000;

/** How often this thread has taken a lock: all work under locks is synchronous, so a second taking is a nested one. */
const depths = new Map<string, number>();

export interface Held {
  /** Whether the lock of a dead process was removed on the way. */
  readonly broke: boolean;
  release(): void;
}

/** Takes the locks of these paths, always in the same order, so that two takers cannot wait for each other. */
export function takeLocks(paths: readonly string[], options: LockOptions): Held {
  const folder = statePart(options.stateDir, 'locks');
  const deadline = Date.now() + (options.lockWaitMs ?? DEFAULT_WAIT_MS);
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
      const lock = depth === 0 ? takeLock({ folder, name, subject: subjects.get(name)!, deadline }) : undefined;
      depths.set(key, depth + 1);
      taken.push({ key, lock });
    }
  } catch (error) {
    release();
    throw error;
  }
  return { broke: taken.some(({ lock }) => lock?.broke), release };
}

/** FNV-1a with 64 bits: names need to be short and spread, not secret. Two paths with one name share a lock, no more. */
function lockName(path: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < path.length; i++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(path.charCodeAt(i))) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}
