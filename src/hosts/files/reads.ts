import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shortHash } from './changes/log.ts';
import { freshName } from './owner.ts';
import { statePart } from './state-folder.ts';

/** Files share so many shelves of so many places each, so the folder never grows beyond them. */
const SHELVES = 512;
const PLACES = 8;

export interface ReadMemoryOptions {
  readonly stateDir: string;
  readonly workspace: string;
  readonly agent: string;
  /** What to do when a file is not as this agent last read it. */
  readonly onStale: 'advise' | 'refuse';
}

type Shelf = readonly (readonly [key: string, contentHash: string])[];

/**
 * Remembers in the state folder what content an agent last read of each file, so that a change of what it never saw
 * can be noticed. What is forgotten, or cannot be kept, is not checked.
 */
export function readMemory({ stateDir, workspace, agent, onStale }: ReadMemoryOptions) {
  const keyOf = (path: string): string => JSON.stringify([workspace, agent, path]);
  return {
    onStale,
    remember: (path: string, contentHash: string): void => {
      const key = keyOf(path);
      try {
        const file = join(statePart(stateDir, 'reads'), shelfOf(key));
        const others = readShelf(file).filter(([other]) => other !== key);
        const fresh = `${file}.${process.pid}.${freshName()}`;
        writeFileSync(fresh, JSON.stringify([[key, contentHash], ...others].slice(0, PLACES)), { mode: 0o600 });
        renameSync(fresh, file);
      } catch {
        // Without a state folder of one's own nothing is remembered; a file that was never read is not checked either.
      }
    },
    recall: (path: string): string | undefined => {
      const key = keyOf(path);
      try {
        return readShelf(join(statePart(stateDir, 'reads'), shelfOf(key))).find(([other]) => other === key)?.[1];
      } catch {
        return undefined; // the folder may not be believed: then nothing is known
      }
    },
  };
}

/** Where a key is kept, together with many others. */
export function shelfOf(key: string): string {
  return String(Number.parseInt(shortHash(key).slice(-4), 16) % SHELVES);
}

/** What stands on a shelf; a damaged one is empty. */
function readShelf(file: string): Shelf {
  try {
    const entries: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is readonly [string, string] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string';
}
