/** The folders that git keeps a repository in, whatever their names are. */
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

/** What decides beside the files themselves. */
export interface GitSurroundings {
  /** Where the user's own settings of git are. */
  readonly homes: readonly string[];
  /** Real paths that git obeys by the word of further repositories. */
  readonly closed: readonly string[];
}

/**
 * The first of these files that stands in a repository's own folder, or that would make its folder one. The names
 * above each file are looked at, once per folder: two looks where there is nothing of git.
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
  // A link at a path that something closed lies below would make another folder closed.
  return files.find(({ path }) => closed.some((place) => isInside(path, place, sep) || isInside(place, path, sep)));
}

/** What git obeys by the word of a repository: real paths, as those of the files are. `user` gives the settings of the user. */
export function closedBy(top: string, user: () => RepositorySettings, reader: BoundedReader): readonly string[] {
  if (!isThere(below(top, '.git'))) return [];
  const repository = claimedRepository(top);
  const read = settingsOf(repository, reader);
  const obeyed = pathsObeyed(repository, read, reader, user);
  const files = filesStarted([...read.settings, ...user().settings], top);
  // Settings that are not read may name any folder for hooks.
  if ((read.unreadable ?? obeyed.unreadable) !== undefined || files === undefined) return [top];
  const { git, shared } = repository;
  return [git, shared, ...[...obeyed.paths.map(({ path }) => path), ...files].map((path) => realPlaceOf(path))];
}

/** Folders around the workspace: a repository there can have its hooks or further settings in it. */
function around(root: string): readonly string[] {
  const parent = dirname(root);
  return parent === root ? [] : [parent, ...around(parent)];
}

/** Each folder from the root down to the file's own, with the next name on the way. */
function foldersAbove(path: string, root: string): (readonly [folder: string, name: string])[] {
  let folder = root;
  return splitPath(relative(root, path)).map((name) => {
    const step = [folder, name] as const;
    folder = below(folder, name);
    return step;
  });
}

/** Names need no more than that: they have passed the gate, and there are many of them. */
function below(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // what cannot be looked at cannot be written either, and the write says why
  }
}
