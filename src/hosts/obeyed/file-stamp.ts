/** Stamps of files and symlinks: they detect a change without reading the content. */
import { lstatSync, statSync, type BigIntStats } from 'node:fs';
import { fsPath } from './path-bytes.ts';

/** Symlinks are not followed. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other';

export function kindOf(entry: Pick<BigIntStats, 'isDirectory' | 'isFile' | 'isSymbolicLink'>): EntryKind {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** The times of a folder are left out: they change with its entries, which have stamps of their own. */
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

/** Unique while the file exists. */
export function identity({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** Undefined where the path does not exist or cannot be read. */
export function lstatAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(fsPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a file in the path, or a folder that this user cannot enter: the parent folder is reported
  }
}

function follow(link: string): BigIntStats | undefined {
  try {
    return statSync(fsPath(link), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // it was replaced, or it is a symlink loop
  }
}
