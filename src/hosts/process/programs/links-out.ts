/** Finds links in a folder that lead out of the workspace. */
import { type Dirent, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';

/** Names that are looked at. */
export const MOST_NAMES = 20_000;

/** Why reading all of a folder through its links may read outside the workspace; undefined where no link leads out. */
export function linkOutOf(folder: string, workspace: string): string | undefined {
  const open = [folder];
  let left = MOST_NAMES;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = entriesOf(at);
    if (entries === undefined) return `${at} could not be read`;
    for (const entry of entries) {
      if (--left < 0) return `${folder} has more than ${MOST_NAMES} names, which were not all looked at`;
      const path = `${at === sep ? '' : at}${sep}${entry.name}`;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isSymbolicLink() && !isInside(realPlaceOf(path), workspace, sep))
        return `${path} leads out of the workspace`;
    }
  }
  return undefined;
}

function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
  }
}
