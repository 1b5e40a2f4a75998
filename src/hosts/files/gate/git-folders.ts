/** Finds the folders of git repositories, whatever their names are. */
import { lstatSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import type { Located } from '../shape.ts';
import { isInside } from '../../../base/inside.ts';
import { pathsObeyed } from '../../obeyed/git/git-paths.ts';
import { type RepositorySettings, settingsOf, settingsReader, userSettings } from '../../obeyed/git/git-settings.ts';
import { filesStarted } from '../../obeyed/named-by-settings.ts';
import { foldName } from '../../obeyed/fold-name.ts';
import { type BoundedReader, realPlaceOf } from '../../obeyed/reading.ts';
import { claimedRepository, isNearlyRepository } from '../../obeyed/git/repository.ts';
import { splitPath } from './steps.ts';

export interface GitSurroundings {
  /** The home folders with the user's git settings. */
  readonly homes: readonly string[];
  /** Real paths that git obeys because of settings in further repositories. */
  readonly closed: readonly string[];
}

/**
 * The first of these files that is in the folder of a repository, or that would turn its folder into one. Each folder above
 * the files is checked once, with two lstat calls if it has nothing of git.
 */
export function inGitFolder(files: readonly Located[], surroundings: GitSurroundings): Located | undefined {
  const user = userSettings(surroundings.homes);
  const reader = settingsReader();
  const wanted = new Map<string, Set<string>>();
  for (const { path, root } of files) {
    for (const [folder, name] of foldersAbove(path, root!)) {
      const names = wanted.get(folder);
      if (names === undefined) wanted.set(folder, new Set([foldName(name)]));
      else names.add(foldName(name));
    }
  }
  const closed = [...surroundings.closed];
  for (const [folder, names] of wanted) {
    if (isNearlyRepository((name) => names.has(name.toLowerCase()) || isThere(below(folder, name))))
      closed.push(folder);
    closed.push(...closedBy(folder, user, reader));
  }
  for (const folder of new Set(files.flatMap(({ root }) => around(root!))))
    if (!wanted.has(folder)) closed.push(...closedBy(folder, user, reader));
  // Also a link above a protected path is refused, because it would lead that path to another folder.
  return files.find(({ path }) => closed.some((place) => isInside(path, place, sep) || isInside(place, path, sep)));
}

/** The real paths that git obeys because of a repository's settings. `user` returns the settings of the user. */
export function closedBy(top: string, user: () => RepositorySettings, reader: BoundedReader): readonly string[] {
  if (!isThere(below(top, '.git'))) return [];
  const repository = claimedRepository(top);
  const read = settingsOf(repository, reader);
  const obeyed = pathsObeyed(repository, read, reader, user);
  const files = filesStarted([...read.settings, ...user().settings], top);
  // Settings that cannot be read may name any folder for hooks.
  if ((read.unreadable ?? obeyed.unreadable) !== undefined || files === undefined) return [top];
  const { git, shared } = repository;
  return [git, shared, ...[...obeyed.paths.map(({ path }) => path), ...files].map((path) => realPlaceOf(path))];
}

/** The folders above the workspace: a repository there can have its hooks or settings in the workspace. */
function around(root: string): readonly string[] {
  const parent = dirname(root);
  return parent === root ? [] : [parent, ...around(parent)];
}

/** Each folder from the root down to that of the file, with the next name on the path. */
function foldersAbove(path: string, root: string): (readonly [folder: string, name: string])[] {
  let folder = root;
  return splitPath(relative(root, path)).map((name) => {
    const step = [folder, name] as const;
    folder = below(folder, name);
    return step;
  });
}

/** A cheap `join`, for many names that have passed the gate. */
function below(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // if lstat fails, the write fails too and reports why
  }
}
