/**
 * The keys of a machine as a node. Its first key is that of `identity.json`, which also identifies it as a gateway. A rotation
 * writes the next key to a file, and renames that file when the gateway has accepted the key: no crash leaves the machine
 * without a key that the gateway knows.
 */
import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { takeLocks } from '../files/locks/locks.ts';
import { makeFolder } from '../files/state-folder.ts';
import { createIdentity, type Identity, loadIdentity, readIdentity } from './keys.ts';

export interface NodeKeys {
  current(): Identity;
  /** The key of a rotation that is not complete. */
  next(): Identity | undefined;
  /** Creates the next key, or returns that of an earlier rotation that is not complete. */
  prepare(): Identity;
  /** The gateway has accepted this key: it is the current one from now on, also where another process was first. */
  commit(key: Pick<Identity, 'id'>): void;
}

const LOCK_WAIT_MS = 5_000;

/** Reads the files each time, because another process may rotate. */
export function nodeKeysIn(stateDir: string): NodeKeys {
  const { current, next } = nodeKeyFiles(stateDir);
  return {
    current: () => readIdentity(current) ?? loadIdentity(stateDir),
    next: () => readIdentity(next),
    prepare() {
      makeFolder(dirname(next));
      return readIdentity(next) ?? createIdentity(dirname(next), next);
    },
    commit(key) {
      const lock = takeLocks([next], { stateDir, lockWaitMs: LOCK_WAIT_MS });
      try {
        // Another rotation may have prepared a key that the gateway does not know.
        if (readIdentity(next)?.id === key.id) {
          renameSync(next, current);
          syncFolder(dirname(next));
        } else if (readIdentity(current)?.id !== key.id) throw replaced(next);
      } finally {
        lock.release();
      }
    },
  };
}

export function nodeKeyFiles(stateDir: string): { readonly current: string; readonly next: string } {
  return { current: join(stateDir, 'node', 'key.json'), next: join(stateDir, 'node', 'next-key.json') };
}

/** The rename survives a power failure: the gateway no longer knows the former key. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function replaced(next: string): Fault {
  return new Fault('NODE_IDENTITY', `${next} is not the key that the gateway has accepted`, {
    hint: 'another process has replaced it; pair the node again with pincer nodes invite',
  });
}
