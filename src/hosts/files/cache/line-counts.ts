import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LineCounts, Stamp } from '../shape.ts';
import { writePrivate } from '../write-private.ts';
import { makeFolder } from '../state-folder.ts';

/** Files share so many places, so the folder never grows beyond them. */
const PLACES = 256n;

/**
 * Remembers in the state folder how many newlines a big file has, so that the number of its last line need not be
 * counted each time. A count holds only for the very stamp it was taken at.
 */
export function lineCounts(stateDir: string): LineCounts {
  const folder = join(stateDir, 'line-counts');
  const fileFor = (stamp: Stamp) => join(folder, String(stamp.ino % PLACES));
  return {
    recall: (stamp) => {
      try {
        const [key, count] = readFileSync(fileFor(stamp), 'utf8').split(' ');
        return key === keyOf(stamp) && /^\d+$/.test(count ?? '') ? Number(count) : undefined;
      } catch {
        return undefined; // never counted, or not readable: then it is counted
      }
    },
    remember: (stamp, newlines) => {
      const file = fileFor(stamp);
      try {
        makeFolder(folder);
        writePrivate(file, `${keyOf(stamp)} ${newlines}`);
      } catch {
        // Without a writable state folder the lines are counted each time; the answer is the same.
      }
    },
  };
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: Stamp): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
