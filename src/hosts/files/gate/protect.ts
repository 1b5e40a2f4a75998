/** What tools may not touch although it stands inside the boundary. */
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

/** Whether a file of this name is read as configuration: what an agent may do stands there, in any folder that it works in. */
export function isConfigName(name: string): boolean {
  return closedToTools([name])?.as === 'config';
}

/** Whether a client or editor may start programs because of this file. */
export function isClientFile(path: string): boolean {
  return closedToTools(splitPath(path))?.as === 'client';
}

/** Refuses to write a repository's own files; what the operator named by hand is the operator's business. */
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

/** Refuses what stands in the state folder: its locks and records are what everything else relies on. */
export function refuseState(path: string, stateDir: string): void {
  let state = realStates.get(stateDir);
  if (state === undefined) {
    state = realPlaceOf(stateDir);
    realStates.set(stateDir, state);
  }
  if (isWithin(path, state, FOLDS_CASE)) throw stateProtected(path);
}

/** Where names that differ in case only usually are the same, a walk ends with the case that was asked for. */
export const FOLDS_CASE = process.platform === 'darwin' || process.platform === 'win32';

/** `isInside`, also where the names are the same without regard to case. */
export function isWithin(path: string, folder: string, foldsCase: boolean): boolean {
  return isInside(path, folder, sep) || (foldsCase && isInside(folded(path), folded(folder), sep));
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
