import type { BigIntStats } from 'node:fs';
import type { Stamp } from './shape.ts';

export function stampOf(stats: BigIntStats): Stamp {
  return { dev: stats.dev, ino: stats.ino, size: stats.size, mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs };
}

export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

/** Compares inode, size and mtime only, because rename and chmod change ctime. */
export function sameContent(a: Pick<Stamp, 'ino' | 'size' | 'mtimeNs'>, b: Stamp): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
