/** Symlinks in the folders of clients: their targets are obeyed like the rest of the folder. */
import { join, sep } from 'node:path';
import { closedToTools } from './closed-to-tools.ts';
import { readFolder, type Entry } from './folder-entries.ts';
import { foldName } from './fold-name.ts';
import { withoutPauses } from './pauses.ts';
import { BUILD_FOLDERS } from './table.ts';

/** Users create such symlinks rarely, and tools are refused to create them. */
const CACHE_MS = 2000;
const MOST_CACHED = 200;
/** The most entries to read of one closed folder: there may be many such folders above a file. */
const MOST_ENTRIES = 250;
const cache = new Map<string, { readonly at: number; readonly links: readonly string[] }>();

/** The symlinks in a closed folder, breadth-first; cached for two seconds. */
export function linksBelow(folder: string): readonly string[] {
  const known = cache.get(folder);
  const now = performance.now();
  if (known !== undefined && now - known.at < CACHE_MS) return known.links;
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
  if (cache.size >= MOST_CACHED) cache.clear();
  cache.set(folder, { at: now, links });
  return links;
}

/** Worktrees of projects in a client's folder are open, whatever they contain. */
function isClosedBelow(folder: string): boolean {
  return closedToTools(join(folder, 'x').split(sep)) !== undefined;
}

/** Empty where the folder is missing or cannot be listed. */
function entriesIn(folder: string, most: number): readonly Entry[] {
  const entries: Entry[] = [];
  withoutPauses(readFolder(folder, (entry) => entries.push(entry) < most));
  return entries;
}
