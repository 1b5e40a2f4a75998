/** Protects files inside the boundary that tools may not write. */
import { relative, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { closedToTools } from '../../obeyed/closed-to-tools.ts';
import { isGitName } from '../../obeyed/match.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';
import { inGitFolder, type GitSurroundings } from './git-folders.ts';
import type { ReachedFile } from './other-paths.ts';
import { gitProtected, stateProtected } from './refusals.ts';
import { splitPath } from './steps.ts';

export type Protection = 'git' | 'none';

/** Whether a file of this name is configuration of Pincer, which decides what an agent may do in its folder. */
export function isConfigName(name: string): boolean {
  return closedToTools([name])?.as === 'config';
}

/** Whether this file can make a client or editor start programs. */
export function isClientFile(path: string): boolean {
  return closedToTools(splitPath(path))?.as === 'client';
}

export function refuseGit(files: readonly ReachedFile[], surroundings: GitSurroundings): void {
  const named = files.find(({ file: { root }, paths }) =>
    paths.some((path) => splitPath(relative(root!, path)).some(isGitName)),
  )?.file;
  const found =
    named ??
    inGitFolder(
      files.map(({ file }) => file),
      surroundings,
    );
  if (found !== undefined) throw gitProtected(found.path);
}

const realStates = new Map<string, string>();

/** Refuses what is in the state folder: everything else relies on its locks and records. */
export function refuseState(path: string, stateDir: string): void {
  let state = realStates.get(stateDir);
  if (state === undefined) {
    state = realPlaceOf(stateDir);
    realStates.set(stateDir, state);
  }
  if (isWithin(path, state, FOLDS_CASE)) throw stateProtected(path);
}

/** Whether file systems are usually case-insensitive: then the path of a walk has the case of the request. */
export const FOLDS_CASE = process.platform === 'darwin' || process.platform === 'win32';

/** `isInside`, optionally ignoring case. */
export function isWithin(path: string, folder: string, foldsCase: boolean): boolean {
  return isInside(path, folder, sep) || (foldsCase && isInside(folded(path), folded(folder), sep));
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
