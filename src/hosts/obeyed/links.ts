/** Symlinks with the name of an obeyed file: their target is obeyed, whatever its own name is. */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { linksBelow } from './links-below.ts';
import { foldName } from './fold-name.ts';
import { realPlaceOf } from './reading.ts';
import { OBEYED } from './table.ts';

export interface ObeyedLink {
  readonly link: string;
  /** The target, which need not exist. */
  readonly real: string;
}

/** The paths that tools refuse in any folder. Patterns with a wildcard are left out, because they cannot be looked up by name. */
export const CLOSED_PATHS: readonly (readonly string[])[] = [
  ...OBEYED.flatMap(({ closedToTools: rule }) => rule?.patterns ?? []).filter((pattern) => !pattern.includes('*')),
  'node_modules/pincer',
].map((pattern) => pattern.split('/'));

const HEADS = new Map<string, (readonly string[])[]>();
for (const path of CLOSED_PATHS) HEADS.set(path[0]!, [...(HEADS.get(path[0]!) ?? []), path]);

/** The symlinks in a folder at, above or below a closed path. */
export function linksIn(folder: string): ObeyedLink[] {
  const found = new Map<string, ObeyedLink>();
  const add = (link: string): unknown => found.set(link, { link, real: realPlaceOf(link) });
  for (const [head, paths] of HEADS) {
    const first = join(folder, head);
    const stats = lstat(first);
    if (stats?.isSymbolicLink() === true) add(first);
    if (stats?.isDirectory() !== true) continue;
    for (const names of paths) {
      const closed = join(folder, ...names);
      if (lstat(closed)?.isSymbolicLink() === true) add(closed);
      else for (const link of linksBelow(closed)) add(link);
    }
  }
  return [...found.values()];
}

/** Does not throw for a missing path: most are missing, and exceptions would dominate the time of a write. */
function lstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a symlink that cannot be read cannot be followed either
  }
}

/** Whether a path is a parent of a closed path: a symlink there would make another folder obeyed. */
export function isOnClosedPath(path: readonly string[]): boolean {
  const folded = path.map(foldName);
  return CLOSED_PATHS.some((names) =>
    names.some((_, i) => {
      const above = names.slice(0, i + 1);
      return above.length < names.length && above.every((name, k) => folded.at(k - above.length) === name);
    }),
  );
}
