import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LineCounts, Stamp } from '../shape.ts';
import { writePrivate } from '../write-private.ts';
import { makeFolder } from '../state-folder.ts';

/** Files share this many slots, which bounds the size of the folder. */
const SLOTS = 256n;

/**
 * Stores in the state folder how many newlines a big file has, so that its last line number need not be counted again. A
 * count is valid for exactly one stamp.
 */
export function lineCounts(stateDir: string): LineCounts {
  const folder = join(stateDir, 'line-counts');
  const fileFor = (stamp: Stamp) => join(folder, String(stamp.ino % SLOTS));
  return {
    recall: (stamp) => {
      try {
        const [key, count] = readFileSync(fileFor(stamp), 'utf8').split(' ');
        return key === keyOf(stamp) && /^\d+$/.test(count ?? '') ? Number(count) : undefined;
      } catch {
        return undefined; // not stored or unreadable: the caller counts
      }
    },
    remember: (stamp, newlines) => {
      const file = fileFor(stamp);
      try {
        makeFolder(folder);
        writePrivate(file, `${keyOf(stamp)} ${newlines}`);
      } catch {
        // Without a writable state folder the lines are counted each time.
      }
    },
  };
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: Stamp): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
