/**
 * Finds the obeyed files of a folder, at any depth. Opens only folders. Symlinks are not followed, since their targets in the
 * folder are searched anyway; only a symlink into a build folder, which is otherwise skipped, is followed.
 */
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { lstatAt, type EntryKind } from './file-stamp.ts';
import { readFolder, type Entry } from './folder-entries.ts';
import { foldName } from './fold-name.ts';
import { BESIDE_NAMES, obeyedByName, obeyedThroughLink } from './match.ts';
import { fsPath, nameFromBytes } from './path-bytes.ts';
import { withoutPauses, type Steps } from './pauses.ts';
import { isRepositoryByNames, REPOSITORY_NAMES } from './git/repository.ts';
import { BUILD_FOLDERS, type ObeyedRow } from './table.ts';

/** One obeyed file or folder; entries below an obeyed folder are not listed. */
export interface Found {
  /** Relative to the scanned folder; names that are not UTF-8 are encoded as in `path-bytes.ts`. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly row: Pick<ObeyedRow, 'class' | 'reader' | 'evidence' | 'namesFiles'>;
  /** For a folder that is a repository because of the names in it: the paths of those. Its other entries are listed separately. */
  readonly parts?: readonly string[];
}

/** A path below which there may be more than was found. */
export interface Unsearched {
  readonly path: string;
  readonly why: string;
}

export interface Scan {
  readonly found: readonly Found[];
  /** Paths that exist but are obeyed only together with a sibling that is missing. */
  readonly inactive: readonly string[];
  /** Folders in build folders that were searched because a symlink points to them, or to a folder above. */
  readonly reached: ReadonlySet<string>;
  /** Empty where the scan was complete. */
  readonly unsearched: readonly Unsearched[];
}

export interface ScanBounds {
  readonly entries: number;
  readonly folders: number;
  readonly found: number;
}

/** Limits for a workspace. Build folders do not count; symlinks count as folders. */
export const SCAN_BOUNDS: ScanBounds = { entries: 1_000_000, folders: 100_000, found: 5_000 };
/** One is enough to refuse a workspace; more help to fix it. */
const MOST_UNSEARCHED = 20;
const PARTS: ReadonlySet<string> = new Set(REPOSITORY_NAMES.map(foldName));
const REPOSITORY: Found['row'] = { class: 1, reader: 'git', evidence: 'ran' };

/** Scans a folder synchronously. */
export function scanObeyed(top: string, bounds: ScanBounds = SCAN_BOUNDS): Scan {
  return withoutPauses(walkFrom(top, bounds));
}

/** Scans in steps. Beyond the limit of folders, the folders that are already queued are still searched. */
export function* walkFrom(top: string, bounds: ScanBounds): Steps<Scan> {
  const found: Found[] = [];
  const inactive: string[] = [];
  const unsearched: Unsearched[] = [];
  const reached = new Set<string>();
  const queue: (readonly string[])[] = [[]];
  const exceeded = new Set<keyof ScanBounds>();
  let entries = 0;
  let folders = 1;
  const isOver = (): boolean => exceeded.has('entries') || exceeded.has('found');
  for (let names = queue.pop(); names !== undefined && !isOver(); names = queue.pop()) {
    const path = names.join('/');
    const exceed = (bound: keyof ScanBounds): void => {
      if (!exceeded.has(bound)) unsearched.push({ path: path || '.', why: whyTooMany(bound, bounds) });
      exceeded.add(bound);
    };
    const above = names.slice(-2).map(foldName); // no pattern has more components
    const siblings = new Set<string>();
    const parts: string[] = [];
    const mayBeFound: FoldedEntry[] = [];
    const others: FoldedEntry[] = [];
    const why = yield* readFolder(`${top}/${path}`, ({ name, kind }) => {
      if (++entries > bounds.entries) exceed('entries');
      const folded = foldName(name);
      if (BESIDE_NAMES.has(folded) || PARTS.has(folded)) siblings.add(folded);
      if (PARTS.has(folded)) parts.push([...names, name].join('/'));
      const row = rowOf({ kind, folded }, above, BESIDE_NAMES);
      if (row !== undefined && (row.class !== 3 || row.beside !== undefined)) {
        if (found.length + mayBeFound.push({ name, kind, folded }) > bounds.found) exceed('found');
      } else if (kind === 'folder' || kind === 'link') {
        if (folders + others.length < bounds.folders) others.push({ name, kind, folded });
        else if (!BUILD_FOLDERS.has(folded)) exceed('folders');
      }
      return !isOver();
    });
    if (why !== undefined && unsearched.length < MOST_UNSEARCHED) unsearched.push({ path: path || '.', why });
    if (names.length > 0 && isRepositoryByNames((name) => siblings.has(foldName(name))))
      found.push({ path, kind: 'folder', row: REPOSITORY, parts: parts.sort() });
    else for (const part of parts) inactive.push(part);
    for (const entry of [...mayBeFound, ...others]) {
      const { name, kind, folded } = entry;
      const row = rowOf(entry, above, siblings);
      if (row?.beside === undefined && rowOf(entry, above, BESIDE_NAMES)?.beside !== undefined)
        inactive.push([...names, name].join('/'));
      if (row !== undefined && row.class !== 3) found.push({ path: [...names, name].join('/'), kind, row });
      else if (!BUILD_FOLDERS.has(folded) && (kind === 'folder' || kind === 'link')) {
        const next = kind === 'folder' ? [...names, name] : folderBehind(top, [...names, name].join('/'));
        folders++;
        yield undefined;
        const isReached = kind === 'link' || reached.has(path);
        if (next === undefined || (isReached && reached.has(next.join('/')))) continue;
        if (isReached) reached.add(next.join('/'));
        queue.push(next);
      }
    }
    yield undefined;
  }
  return { found: found.sort((a, b) => (a.path < b.path ? -1 : 1)), inactive, reached, unsearched };
}

/** The components of a symlink's target, where that is a folder in a build folder of the same workspace. */
function folderBehind(top: string, link: string): readonly string[] | undefined {
  try {
    const target = nameFromBytes(realpathSync.native(fsPath(`${top}/${link}`), 'buffer'));
    const names = relative(realpathSync.native(top), target).split('/');
    if (names[0] === '..' || !names.some((name) => BUILD_FOLDERS.has(foldName(name)))) return undefined;
    return lstatAt(target)?.isDirectory() === true ? names : undefined;
  } catch {
    return undefined; // a dangling symlink
  }
}

export function isInUnsearchedBuildFolder(path: string, reached: ReadonlySet<string>): boolean {
  const names = path.split('/').slice(0, -1);
  for (let depth = names.length; depth > 0; depth--) {
    if (reached.has(names.slice(0, depth).join('/'))) return false;
    if (BUILD_FOLDERS.has(foldName(names[depth - 1]!))) return true;
  }
  return false;
}

interface FoldedEntry extends Entry {
  readonly folded: string;
}

/** `above` are the names of the folders above the entry. */
function rowOf(
  { kind, folded }: Pick<FoldedEntry, 'kind' | 'folded'>,
  above: readonly string[],
  siblings: ReadonlySet<string>,
): ObeyedRow | undefined {
  const path = [...above, folded];
  return obeyedByName(path, siblings) ?? (kind === 'link' ? obeyedThroughLink(path) : undefined);
}

function whyTooMany(bound: keyof ScanBounds, { entries, folders, found }: ScanBounds): string {
  if (bound === 'entries') return `the workspace has more than ${entries} files and folders`;
  if (bound === 'folders') return `the workspace has more than ${folders} folders`;
  return `the workspace has more than ${found} files that programs on the host obey`;
}
