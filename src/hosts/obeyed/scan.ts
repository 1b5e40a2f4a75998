/** Finds what the host obeys in a folder, at any depth. Nothing is opened but folders, and no link is followed on the way. */
import { readdirSync, type Dirent } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { foldName } from './names.ts';
import { obeyedByName } from './match.ts';
import { isRepositoryByNames } from './repository.ts';
import { BUILD_FOLDERS, type ObeyedRow } from './table.ts';

/** One file or folder that the host obeys; what is below a folder is not listed. */
export interface Found {
  /** From the scanned folder down. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly row: Pick<ObeyedRow, 'class' | 'reader' | 'evidence' | 'namesFiles'>;
}

export interface Scan {
  readonly found: readonly Found[];
  /** False when there was more than is looked at. */
  readonly isComplete: boolean;
}

export interface ScanBounds {
  readonly folders: number;
  readonly found: number;
}

const DEEPEST = 128;
/** What a workspace may have at most; build folders do not count. */
export const SCAN_BOUNDS: ScanBounds = { folders: 100_000, found: 5_000 };
/** Others wait no longer than this. */
const BREATH_MS = 10;
const REPOSITORY: Found['row'] = { class: 1, reader: 'git', evidence: 'ran' };

/** Scans a folder at once. */
export function scanObeyed(top: string, bounds: ScanBounds = SCAN_BOUNDS): Scan {
  const walk = walkFrom(top, bounds);
  for (;;) {
    const step = walk.next();
    if (step.done === true) return step.value;
  }
}

/** The same, with pauses in which others go on. */
export async function scanObeyedSlowly(top: string, bounds: ScanBounds = SCAN_BOUNDS): Promise<Scan> {
  const walk = walkFrom(top, bounds);
  for (let since = performance.now(); ; ) {
    const step = walk.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < BREATH_MS) continue;
    await breathe();
    since = performance.now();
  }
}

function* walkFrom(top: string, bounds: ScanBounds): Generator<undefined, Scan> {
  const found: Found[] = [];
  const queue: (readonly string[])[] = [[]];
  let folders = 0;
  for (let names = queue.pop(); names !== undefined; names = queue.pop()) {
    if (folders++ >= bounds.folders || found.length >= bounds.found) return { found, isComplete: false };
    const entries = entriesOf([top, ...names].join('/'));
    const folded = entries.map(({ name }) => foldName(name));
    const siblings = new Set(folded);
    if (names.length > 0 && isRepositoryByNames((name) => siblings.has(foldName(name)))) {
      found.push({ path: names.join('/'), kind: 'folder', row: REPOSITORY });
      continue;
    }
    const above = names.slice(-2).map(foldName); // no pattern has more names
    for (const [i, entry] of entries.entries()) {
      const row = obeyedByName([...above, folded[i]!], siblings);
      if (row !== undefined && row.class !== 3)
        found.push({ path: [...names, entry.name].join('/'), kind: kindOf(entry), row });
      else if (entry.isDirectory() && !BUILD_FOLDERS.has(folded[i]!)) {
        if (names.length >= DEEPEST) return { found, isComplete: false };
        queue.push([...names, entry.name]);
      }
    }
    yield undefined;
  }
  return { found: found.sort((a, b) => (a.path < b.path ? -1 : 1)), isComplete: true };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // it is gone, or this user may not look into it
  }
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
