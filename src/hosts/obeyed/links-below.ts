/** Links in the folders of clients: what they lead to is obeyed as the rest of the folder is. */
import { join, sep } from 'node:path';
import { closedToTools } from './closed.ts';
import { readFolder, type Entry } from './folder-entries.ts';
import { foldName } from './names.ts';
import { atOnce } from './pauses.ts';
import { BUILD_FOLDERS } from './table.ts';

/** A person makes such a link seldom; a tool that makes one is refused before. */
const KEPT_MS = 2000;
const MOST_KEPT = 200;
/** The most entries of one closed folder that are looked at: there may be many such folders above a file. */
const MOST_ENTRIES = 250;
const kept = new Map<string, { readonly at: number; readonly links: readonly string[] }>();

/** The links in a closed folder, the nearest first; looked for at most every other second. */
export function linksBelow(folder: string): readonly string[] {
  const known = kept.get(folder);
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
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(folder, { at: now, links });
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
