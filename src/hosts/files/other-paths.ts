/** The paths by which programs reach a file: its own, those that a tool followed, and those of links that programs look for. */
import { dirname, sep } from 'node:path';
import type { Located } from '../host.ts';
import { foldersWithObeyed, linksIn, type ObeyedLink } from '../obeyed/links.ts';
import { realPlaceOf } from '../obeyed/reading.ts';
import { followedTo } from './root.ts';

/** One path by which a file is reached. */
export interface ReachedFile {
  readonly file: Located;
  /** The real path first. */
  readonly paths: readonly string[];
}

/** All files with their paths. Links are looked for above each file, in the homes and in the workspace. */
export function reached(
  files: readonly Located[],
  homes: readonly string[],
  workspace: string | undefined,
): readonly ReachedFile[] {
  const inside = files.filter(({ root }) => root !== undefined);
  if (inside.length === 0) return [];
  const above = new Set<string>();
  for (const { path } of inside) for (let at = dirname(path); !above.has(at); at = dirname(at)) above.add(at);
  const folders = new Set([...above, ...homes, ...searchedFolders(inside, workspace)]);
  const links = [...folders].flatMap(linksIn);
  return inside.map((file) => ({ file, paths: [file.path, ...followedTo(file), ...throughLinks(file.path, links)] }));
}

/** The tops that are searched, and the folders below them in which something obeyed is. */
export function searchedFolders(files: readonly Located[], workspace: string | undefined): readonly string[] {
  const tops = new Set(files.flatMap(({ root }) => (root === undefined || root === sep ? [] : [root])));
  if (workspace !== undefined) tops.add(realPlaceOf(workspace));
  return [...tops].flatMap((top) => (top === sep ? [] : [top, ...foldersWithObeyed(top)]));
}

function throughLinks(path: string, links: readonly ObeyedLink[]): string[] {
  return links
    .filter(({ real }) => path === real || path.startsWith(real + sep))
    .map(({ link, real }) => link + path.slice(real.length));
}
