/** Finds what the host obeys in a folder, at any depth. Nothing is opened but folders, and no link is followed on the way. */
import { lstatSync, readdirSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { kindOf, type EntryKind } from './file-stamp.ts';
import { foldName } from './names.ts';
import { obeyedByName, obeyedThroughLink } from './match.ts';
import { fsPath, nameFromBytes } from './path-bytes.ts';
import { isRepositoryByNames } from './repository.ts';
import { BUILD_FOLDERS, type ObeyedRow } from './table.ts';

/** One file or folder that the host obeys; what is below a folder is not listed. */
export interface Found {
  /** From the scanned folder down; names that are not UTF-8 are written as in `path-bytes.ts`. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly row: Pick<ObeyedRow, 'class' | 'reader' | 'evidence' | 'namesFiles'>;
}

/** A place below which there may be more than was found. */
export interface Unsearched {
  readonly path: string;
  readonly why: string;
}

export interface Scan {
  readonly found: readonly Found[];
  /** Empty where all was looked at. */
  readonly unsearched: readonly Unsearched[];
}

export interface ScanBounds {
  readonly folders: number;
  readonly found: number;
}

/** What a workspace may have at most; build folders do not count. */
export const SCAN_BOUNDS: ScanBounds = { folders: 100_000, found: 5_000 };
/** Others wait no longer than this. */
const BREATH_MS = 10;
/** One is enough to refuse a workspace; more only help to repair it. */
const MOST_UNSEARCHED = 20;
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
export function scanObeyedSlowly(top: string, bounds: ScanBounds = SCAN_BOUNDS): Promise<Scan> {
  return withPauses(walkFrom(top, bounds));
}

/** Runs work that yields often, with pauses in which others go on. */
export async function withPauses<T>(work: Generator<undefined, T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < BREATH_MS) continue;
    await breathe();
    since = performance.now();
  }
}

/** The scan in steps. */
export function* walkFrom(top: string, bounds: ScanBounds): Generator<undefined, Scan> {
  const found: Found[] = [];
  const unsearched: Unsearched[] = [];
  const queue: (readonly string[])[] = [[]];
  let folders = 0;
  for (let names = queue.pop(); names !== undefined; names = queue.pop()) {
    const path = names.join('/');
    const tooMany = folders++ >= bounds.folders ? 'folders' : found.length >= bounds.found ? 'found' : undefined;
    if (tooMany !== undefined) {
      unsearched.push({ path: path || '.', why: whyTooMany(tooMany, bounds) });
      break;
    }
    const entries = entriesOf(`${top}/${path}`);
    if (typeof entries === 'string') {
      if (unsearched.length < MOST_UNSEARCHED) unsearched.push({ path: path || '.', why: entries });
      continue;
    }
    const folded = entries.map(({ name }) => foldName(name));
    const siblings = new Set(folded);
    if (names.length > 0 && isRepositoryByNames((name) => siblings.has(foldName(name)))) {
      found.push({ path, kind: 'folder', row: REPOSITORY });
      continue;
    }
    const above = names.slice(-2).map(foldName); // no pattern has more names
    for (const [i, { name, kind }] of entries.entries()) {
      const last = [...above, folded[i]!];
      const row = obeyedByName(last, siblings) ?? (kind === 'link' ? obeyedThroughLink(last) : undefined);
      if (row !== undefined && row.class !== 3) found.push({ path: [...names, name].join('/'), kind, row });
      else if (kind === 'folder' && !BUILD_FOLDERS.has(folded[i]!)) queue.push([...names, name]);
    }
    yield undefined;
  }
  return { found: found.sort((a, b) => (a.path < b.path ? -1 : 1)), unsearched };
}

function whyTooMany(bound: keyof ScanBounds, { folders, found }: ScanBounds): string {
  if (bound === 'folders') return `the workspace has more than ${folders} folders`;
  return `the workspace has more than ${found} files that programs on the host obey`;
}

interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** What is in a folder, or why that cannot be known. */
export function entriesOf(folder: string): readonly Entry[] | string {
  try {
    const path = fsPath(folder);
    const entries = readdirSync(path, { withFileTypes: true });
    // Names as text take half the time.
    if (!entries.some(({ name }) => name.includes('\ufffd')))
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    return readdirSync(path, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
      name: nameFromBytes(entry.name),
      kind: kindOf(entry),
    }));
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return []; // it is gone
    if (code === 'EACCES' && !isOwn(folder)) return []; // what runs as this user cannot write there either
    if (code === 'ENAMETOOLONG') return 'its path is too long for the system';
    return `it cannot be listed (${code})`;
  }
}

function isOwn(folder: string): boolean {
  try {
    return lstatSync(fsPath(folder)).uid === process.geteuid?.();
  } catch {
    return true; // unknown
  }
}
