/** Links that have the name of something obeyed: what they lead to is obeyed, whatever it is called itself. */
import { lstatSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { closedToTools } from './closed.ts';
import { readFolder, type Entry } from './folder-entries.ts';
import { foldName } from './names.ts';
import { atOnce } from './pauses.ts';
import { realPlaceOf } from './reading.ts';
import { BUILD_FOLDERS, OBEYED } from './table.ts';

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

// Links in the folders of clients: what they lead to is obeyed as the rest of the folder is.

/** A person makes such a link seldom; a tool that makes one is refused before. */
const KEPT_MS = 2000;
const MOST_KEPT = 200;
/** The most entries of one closed folder that are looked at: there may be many such folders above a file. */
const MOST_ENTRIES = 250;
const keptLinks = new Map<string, { readonly at: number; readonly links: readonly string[] }>();

/** The links in a closed folder, the nearest first; looked for at most every other second. */
function linksBelow(folder: string): readonly string[] {
  const known = keptLinks.get(folder);
  const now = performance.now();
  if (known !== undefined && now - known.at < KEPT_MS) return known.links;
  const links: string[] = [];
  const queue = [folder];
  let left = MOST_ENTRIES;
  for (let next = queue.shift(); next !== undefined && left > 0; next = queue.shift()) {
    const entries = entriesIn(next, left);
    left -= entries.length;
    for (const { name, kind } of entries) {
      const path = join(next, name);
      if (kind === 'link') links.push(path);
      else if (kind === 'folder' && !BUILD_FOLDERS.has(foldName(name)) && isClosedBelow(path)) queue.push(path);
    }
  }
  if (keptLinks.size >= MOST_KEPT) keptLinks.clear();
  keptLinks.set(folder, { at: now, links });
  return links;
}

/** Working copies of projects in a client's folder are open whatever they hold. */
function isClosedBelow(folder: string): boolean {
  return closedToTools(join(folder, 'x').split(sep)) !== undefined;
}

/** At most so many, since a folder may have any number; what is missing or cannot be listed has no link that is known. */
function entriesIn(folder: string, most: number): readonly Entry[] {
  const entries: Entry[] = [];
  atOnce(readFolder(folder, (entry) => entries.push(entry) < most));
  return entries;
}
