/** Finds names in a folder through which a command that is given all of them may read something else. */
import { type Dirent, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import type { Lookup } from '../../../wire/policy.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';

/** Names that are looked at. */
export const MOST_NAMES = 20_000;

/** How a program gets the names: not as arguments, each as one argument, or split at blanks and quotes. */
export type NameUse = Parameters<Lookup['leadsOut']>[1];

const MISREAD: Readonly<Record<NonNullable<NameUse>, readonly [name: RegExp, why: string]>> = {
  whole: [/^-/u, 'would be an option'],
  split: [/^-|[\s"'\\]/u, 'would be an option, or be split into several names'],
};

/** Why reading all of a folder by its names may read outside the workspace; undefined where it cannot. */
export function wayOutOf(folder: string, workspace: string, use?: NameUse): string | undefined {
  const open = [folder];
  let left = MOST_NAMES;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = entriesOf(at);
    if (entries === undefined) return `${at} could not be read`;
    for (const entry of entries) {
      if (--left < 0) return `${folder} has more than ${MOST_NAMES} names, which were not all looked at`;
      const path = `${at === sep ? '' : at}${sep}${entry.name}`;
      if (use !== undefined && MISREAD[use][0].test(entry.name)) return `${JSON.stringify(path)} ${MISREAD[use][1]}`;
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
