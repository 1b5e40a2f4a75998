/** The paths by which programs reach a file: its own, those that a tool followed, and those through obeyed links. */
import { dirname, sep, join } from 'node:path';
import type { Located } from '../shape.ts';
import { isInside } from '../../../base/inside.ts';
import { linksIn, type ObeyedLink } from '../../obeyed/links.ts';
import { followedTo } from './root.ts';

export interface ReachedFile {
  readonly file: Located;
  /** The real path first. */
  readonly paths: readonly string[];
}

/** All files with their paths. Searches for links in the folders above each file and in the homes; `found` are more links. */
export function withPaths(
  files: readonly Located[],
  homes: readonly string[],
  found: readonly ObeyedLink[],
): readonly ReachedFile[] {
  const inside = files.filter(({ root }) => root !== undefined);
  if (inside.length === 0) return [];
  const above = new Set<string>();
  for (const { path } of inside) for (let at = dirname(path); !above.has(at); at = dirname(at)) above.add(at);
  const links = [...[...new Set([...above, ...homes])].flatMap(linksIn), ...found];
  return inside.map((file) => ({ file, paths: [file.path, ...followedTo(file), ...throughLinks(file.path, links)] }));
}

function throughLinks(path: string, links: readonly ObeyedLink[]): string[] {
  return links
    .filter(({ real }) => isInside(path, real, sep))
    .map(({ link, real }) => join(link, path.slice(real.length)));
}
