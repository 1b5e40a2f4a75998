import { isAbsolute, relative, sep } from 'node:path';

/** The relative path from a folder to a path inside it, '' for the folder itself; undefined outside. Both may contain `..`. */
export function relativeInside(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}
