/** What tells two states of a file or link apart, without reading it. */
import { lstatSync, statSync, type BigIntStats } from 'node:fs';
import { fsPath } from './path-bytes.ts';

/** What an entry of a folder is, a link itself. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other';

/** The kind of what was looked at. */
export function kindOf(entry: Pick<BigIntStats, 'isDirectory' | 'isFile' | 'isSymbolicLink'>): EntryKind {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** The stamp of a path. A folder's own times say only that names came and went in it, which is seen by itself. */
export function stampOf(stats: BigIntStats, path: string): string {
  const { mode, ino, size, mtimeNs, ctimeNs } = stats;
  if (stats.isDirectory()) return `${mode} ${ino}`;
  const stamp = `${mode} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  if (!stats.isSymbolicLink()) return stamp;
  const target = follow(path);
  return `${stamp} ${target === undefined || target.isSymbolicLink() ? '' : stampOf(target, path)}`;
}

/** Longer than the longest timestamp tick of a file system in use (10 ms), with room for a busy machine. */
const RACY_NS = 50_000_000n;

/** Whether a file changed so recently that a second change might leave the same times. Its stamp proves nothing then. */
export function isRacy({ mtimeNs, ctimeNs }: Pick<BigIntStats, 'mtimeNs' | 'ctimeNs'>): boolean {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return BigInt(Date.now()) * 1_000_000n - latest < RACY_NS;
}

/** Names a thing as long as it exists. */
export function identity({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** What is at a path, a link itself; undefined where nothing is. */
export function lookAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(fsPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a file on the way, or what this user cannot see: the folder above is told then
  }
}

function follow(link: string): BigIntStats | undefined {
  try {
    return statSync(fsPath(link), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // it was swapped, or leads in a ring
  }
}
