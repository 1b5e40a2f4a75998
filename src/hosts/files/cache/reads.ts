import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Author } from '../shape.ts';
import { writePrivate } from '../write-private.ts';
import { shortHash } from '../changes/log.ts';
import { hashOf } from '../content-hash.ts';
import { statePart } from '../state-folder.ts';

/** Files share this many buckets with this many slots each, which bounds the size of the folder. */
const BUCKETS = 512;
const SLOTS = 8;
/** Larger contents are not stored. Contents share buckets too: a newer one replaces an older one. */
const MOST_CONTENT = 64 << 10;

export interface ReadMemoryOptions {
  readonly stateDir: string;
  readonly workspace: string;
  /** Each client of an agent has its own reads. */
  readonly reader: Pick<Author, 'agent' | 'client'>;
  /** What to do if a file has changed since this reader read it. */
  readonly onStale: 'advise' | 'refuse';
}

type Bucket = readonly (readonly [key: string, contentHash: string])[];

/**
 * Stores in the state folder which content an agent last read of each file, to detect that it changes what it never saw.
 * Files without a stored read are not checked.
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
        const file = join(folder, bucketOf(key));
        const bucket = readBucket(file);
        if (bucket.some(([other, hash]) => other === key && hash === contentHash)) return;
        const others = bucket.filter(([other]) => other !== key);
        writePrivate(file, JSON.stringify([[key, contentHash], ...others].slice(0, SLOTS)));
        if (content !== undefined && content.length <= MOST_CONTENT)
          writePrivate(contentFile(folder, contentHash), content);
      } catch {
        // Without a usable state folder nothing is stored, and files without a stored read are not checked.
      }
    },
    recall: (path: string): string | undefined => {
      const key = keyOf(path);
      try {
        return readBucket(join(statePart(stateDir, 'reads'), bucketOf(key))).find(([other]) => other === key)?.[1];
      } catch {
        return undefined; // the folder is not trusted
      }
    },
    recallContent: (contentHash: string): Uint8Array | undefined => {
      try {
        const content = readFileSync(contentFile(statePart(stateDir, 'reads'), contentHash));
        return hashOf(content) === contentHash ? content : undefined;
      } catch {
        return undefined; // not stored
      }
    },
  };
}

function contentFile(folder: string, contentHash: string): string {
  return join(folder, `content-${bucketOf(contentHash)}`);
}

/** The bucket that a key shares with others. */
export function bucketOf(key: string): string {
  return String(Number.parseInt(shortHash(key).slice(-4), 16) % BUCKETS);
}

/** A damaged bucket counts as empty. */
function readBucket(file: string): Bucket {
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
