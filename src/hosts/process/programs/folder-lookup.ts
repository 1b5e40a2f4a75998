/** What policy asks about folders and the files that commands would write. */
import { statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import type { FolderNames, Lookup } from '../../../wire/policy.ts';
import { closedToTools } from '../../obeyed/closed-to-tools.ts';
import { isGitName, obeyedAt } from '../../obeyed/match.ts';
import { wayOutOf } from './ways-out.ts';
import { listFolder, realOf, realPlaceOf } from '../../obeyed/reading.ts';

/** The limit of one file name pattern. */
const MOST_NAMES = 10_000;

type FolderLookup = Pick<Lookup, 'workspace' | 'names' | 'isFolder' | 'placeOf' | 'closedTo' | 'leadsOut'>;

export function folderLookup(workspace: string): FolderLookup {
  let real: string | undefined;
  const out = new Map<string, string | undefined>();
  const top = (): string => (real ??= realOf(workspace) ?? workspace);
  return {
    workspace: top,
    names,
    isFolder,
    placeOf: (path) => realPlaceOf(path),
    closedTo: (path) => closedTo(path, top()),
    leadsOut: (folder, use) => {
      const key = `${use ?? ''} ${folder}`;
      if (!out.has(key)) out.set(key, wayOutOf(folder, top(), use));
      return out.get(key);
    },
  };
}

/** A folder that cannot be read has no names, as for a shell. */
function names(folder: string): FolderNames {
  const listed = listFolder(folder, MOST_NAMES);
  if (listed === 'too-many') return { names: [], problem: `${folder} has more than ${MOST_NAMES} names` };
  if (typeof listed === 'string') return { names: [] };
  return listed.some((name) => name.includes('\ufffd'))
    ? { names: listed, problem: `a name in ${folder} is not UTF-8` }
    : { names: listed };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // no access, a loop of symlinks, or a name that is too long: a shell could not enter it either
  }
}

/** The files of git, those that file tools do not write, and those that programs obey without a person. */
function closedTo(path: string, workspace: string): string | undefined {
  if (!isInside(path, workspace, sep)) return undefined;
  const parts = relative(workspace, path).split(sep);
  if (parts.some(isGitName)) return 'git';
  const closed = closedToTools(parts);
  if (closed !== undefined) return closed.reader;
  const besides = (folder: readonly string[], wanted: readonly string[]): boolean =>
    wanted.some((name) => realOf(join(workspace, ...folder, name)) !== undefined);
  const obeyed = obeyedAt(parts, besides);
  return obeyed?.class === 1 ? obeyed.reader : undefined;
}
