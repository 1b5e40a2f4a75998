/** Links that have the name of something obeyed: what they lead to is obeyed, whatever it is called itself. */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { linksBelow } from './links-below.ts';
import { foldName } from './names.ts';
import { realPlaceOf } from './reading.ts';
import { OBEYED } from './table.ts';

/** A link, and the place that it leads to, which need not exist yet. */
export interface ObeyedLink {
  readonly link: string;
  readonly real: string;
}

/** The paths that tools refuse, from any folder down; those with a wildcard cannot be looked for by name. */
export const CLOSED_PATHS: readonly (readonly string[])[] = [
  ...OBEYED.flatMap(({ closedToTools: rule }) => rule?.patterns ?? []).filter((pattern) => !pattern.includes('*')),
  'node_modules/pincer',
].map((pattern) => pattern.split('/'));

const HEADS = new Map<string, (readonly string[])[]>();
for (const path of CLOSED_PATHS) HEADS.set(path[0]!, [...(HEADS.get(path[0]!) ?? []), path]);

/** The links in a folder that stand at a closed path, on the way to one, or below one. */
export function linksIn(folder: string): ObeyedLink[] {
  const found = new Map<string, ObeyedLink>();
  const add = (link: string): unknown => found.set(link, { link, real: realPlaceOf(link) });
  for (const [head, paths] of HEADS) {
    const first = join(folder, head);
    const stats = lookAt(first);
    if (stats?.isSymbolicLink() === true) add(first);
    if (stats?.isDirectory() !== true) continue;
    for (const names of paths) {
      const closed = join(folder, ...names);
      if (lookAt(closed)?.isSymbolicLink() === true) add(closed);
      else for (const link of linksBelow(closed)) add(link);
    }
  }
  return [...found.values()];
}

/** Most are missing, and an exception for each would take most of the time of a write. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // what cannot be looked at cannot be followed either
  }
}

/** Whether a folder of this path would hold a closed path: as a link, it would make another folder obeyed. */
export function isOnClosedPath(path: readonly string[]): boolean {
  const folded = path.map(foldName);
  return CLOSED_PATHS.some((names) =>
    names.some((_, i) => {
      const above = names.slice(0, i + 1);
      return above.length < names.length && above.every((name, k) => folded.at(k - above.length) === name);
    }),
  );
}
