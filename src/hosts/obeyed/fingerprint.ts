/** What the host obeys in a folder at one moment, and what changed between two. */
import { lstatSync, readdirSync, readlinkSync, statSync, type BigIntStats } from 'node:fs';
import { foldName } from './names.ts';
import { SCAN_BOUNDS, scanObeyedSlowly, type Found } from './scan.ts';

/** One file or folder that is new or other than before. */
export interface ObeyedDifference {
  readonly path: string;
  readonly reader: string;
  readonly change: 'new' | 'changed' | 'not-searched';
}

interface Stamped {
  readonly stamp: string;
  readonly reader: string;
}

export interface Fingerprint {
  readonly entries: ReadonlyMap<string, Stamped>;
  readonly isComplete: boolean;
}

/** What git writes in the course of its own work, and nobody obeys. */
const STATE_OF_GIT =
  /^(?:objects|logs|refs|rr-cache|lfs|packed-refs|head|.*_head|index.*|sharedindex\..*|commit_editmsg|merge_(?:msg|mode|rr)|squash_msg|description|shallow|.*\.lock|pincer-sandbox-.*)$/u;

/** Takes the fingerprint of a folder; others go on meanwhile. */
export async function takeFingerprint(top: string): Promise<Fingerprint> {
  const { found, isComplete } = await scanObeyedSlowly(top);
  const entries = new Map<string, Stamped>();
  let isWhole = isComplete;
  for (const each of found) isWhole = addAll(each, top, entries) && isWhole;
  return { entries, isComplete: isWhole };
}

/** What is new or changed; of a new folder only itself is told. */
export function differencesOf(before: Fingerprint, after: Fingerprint): ObeyedDifference[] {
  const differences: ObeyedDifference[] = [];
  const isNew = new Set<string>();
  for (const [path, { stamp, reader }] of after.entries) {
    const old = before.entries.get(path);
    if (old?.stamp === stamp) continue;
    if (old === undefined) isNew.add(path);
    if (isNew.has(path.slice(0, path.lastIndexOf('/')))) isNew.add(path);
    else differences.push({ path, reader, change: old === undefined ? 'new' : 'changed' });
  }
  if (before.isComplete && !after.isComplete) differences.push({ path: '.', reader: '', change: 'not-searched' });
  return differences;
}

/** Adds what was found and all below it, a folder in front of what it holds; false when there is too much of it. */
function addAll({ path, row: { reader } }: Found, top: string, entries: Map<string, Stamped>): boolean {
  const queue = [path];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (entries.size >= SCAN_BOUNDS.found) return false;
    const stats = look(`${top}/${next}`);
    if (stats === undefined) continue;
    entries.set(next, { stamp: stampOf(stats, `${top}/${next}`), reader });
    if (!stats.isDirectory()) continue;
    for (const name of namesIn(`${top}/${next}`))
      if (reader !== 'git' || !STATE_OF_GIT.test(foldName(name))) queue.push(`${next}/${name}`);
  }
  return true;
}

/** A folder's own times say only that names came and went in it, which is seen by itself. */
function stampOf(stats: BigIntStats, path: string): string {
  const { mode, ino, size, mtimeNs, ctimeNs } = stats;
  if (stats.isDirectory()) return `${mode} ${ino}`;
  const stamp = `${mode} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  if (!stats.isSymbolicLink()) return stamp;
  const target = follow(path);
  return `${stamp} ${target === undefined || target.isSymbolicLink() ? '' : stampOf(target, path)}`;
}

function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // what this user cannot see, nobody who runs as this user obeys
  }
}

function follow(link: string): BigIntStats | undefined {
  try {
    readlinkSync(link);
    return statSync(link, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // it was swapped, or leads in a ring
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // it is gone
  }
}
