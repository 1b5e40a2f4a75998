import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Author } from '../shape.ts';
import { writePrivate } from '../write-private.ts';
import { shortHash } from '../changes/log.ts';
import { hashOf } from '../content-hash.ts';
import { statePart } from '../state-folder.ts';

/** Files share so many shelves of so many places each, so the folder never grows beyond them. */
const SHELVES = 512;
const PLACES = 8;
/** Contents share so many places, too: what is read later takes the place of what was read before. */
const MOST_CONTENT = 64 << 10;

export interface ReadMemoryOptions {
  readonly stateDir: string;
  readonly workspace: string;
  /** Two clients of one agent read and write for themselves. */
  readonly reader: Pick<Author, 'agent' | 'client'>;
  /** What to do when a file is not as this reader last read it. */
  readonly onStale: 'advise' | 'refuse';
}

type Shelf = readonly (readonly [key: string, contentHash: string])[];

/**
 * Remembers in the state folder what content an agent last read of each file, so that a change of what it never saw
 * can be noticed. What is forgotten, or cannot be kept, is not checked.
 */
export function readMemory({ stateDir, workspace, reader, onStale }: ReadMemoryOptions) {
  const keyOf = (path: string): string => JSON.stringify([workspace, reader.agent, reader.client, path]);
  return {
    onStale,
    mostContent: MOST_CONTENT,
    remember: (path: string, contentHash: string, content?: Uint8Array): void => {
      const key = keyOf(path);
      try {
        const folder = statePart(stateDir, 'reads');
        const file = join(folder, shelfOf(key));
        const shelf = readShelf(file);
        if (shelf.some(([other, hash]) => other === key && hash === contentHash)) return;
        const others = shelf.filter(([other]) => other !== key);
        writePrivate(file, JSON.stringify([[key, contentHash], ...others].slice(0, PLACES)));
        if (content !== undefined && content.length <= MOST_CONTENT)
          writePrivate(contentFile(folder, contentHash), content);
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
    recallContent: (contentHash: string): Uint8Array | undefined => {
      try {
        const content = readFileSync(contentFile(statePart(stateDir, 'reads'), contentHash));
        return hashOf(content) === contentHash ? content : undefined;
      } catch {
        return undefined; // not kept
      }
    },
  };
}

function contentFile(folder: string, contentHash: string): string {
  return join(folder, `content-${shelfOf(contentHash)}`);
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
