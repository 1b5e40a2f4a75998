/** Files and folders outside of a repository's own folder that git obeys by the word of that repository. */
import { basename, dirname, join } from 'node:path';
import type { GitSetting } from './git-config.ts';
import { expanded, type RepositorySettings, settingsOfUser } from './git-settings.ts';
import { entryAt, linkText, namesIn } from './reading.ts';
import { configFiles, type Repository } from './repository.ts';

/** One path as it is named, not normalised and not followed. */
export interface ObeyedPath {
  readonly path: string;
  /** What git expects there. */
  readonly kind: 'file' | 'folder';
  readonly namedBy: string;
}

/** Hook managers keep the hooks that git starts in a folder below the scripts that those start. */
const BELOW_SCRIPTS = '_';

/** What settings include, the folder with hooks, and what links among hooks and settings lead to. */
export function pathsObeyed(
  repository: Repository,
  { settings, included }: Pick<RepositorySettings, 'settings' | 'included'>,
  user?: () => readonly GitSetting[],
): ObeyedPath[] {
  const hooks = hookFolders(repository, settings, user).filter((folder) => folder !== join(repository.shared, 'hooks'));
  const links = [
    ...configFiles(repository).files,
    join(repository.shared, 'hooks'),
    ...[join(repository.shared, 'hooks'), ...hooks].flatMap((folder) =>
      namesIn(folder).map((name) => `${folder}/${name}`),
    ),
  ].filter((path) => linkText(path) !== undefined);
  return [
    ...included.map((path) => ({ path, kind: 'file' as const, namedBy: 'include.path' })),
    ...hooks.map((path) => ({
      path: basename(path) === BELOW_SCRIPTS ? dirname(path) : path,
      kind: 'folder' as const,
      namedBy: 'core.hooksPath',
    })),
    ...links.map((path) => ({
      path,
      kind: entryAt(path) === 'file' ? ('file' as const) : ('folder' as const),
      namedBy: path,
    })),
  ];
}

/** The folders that git takes hooks from: those that the repository names, or else those that its user names, and its own. */
export function hookFolders(
  { shared, top }: Repository,
  settings: readonly GitSetting[],
  user: () => readonly GitSetting[] = () => settingsOfUser().settings,
): string[] {
  const named = hookPaths(settings);
  // A setting of the user may hold under a condition, so the own folder counts as well.
  const folders = named.length > 0 ? named : [...hookPaths(user()), join(shared, 'hooks')];
  return folders.flatMap((value) => (value === '' ? ['/'] : expanded(top, value))); // from the top, wherever git was called
}

function hookPaths(settings: readonly GitSetting[]): string[] {
  return settings.filter(({ name }) => name === 'core.hookspath').map(({ value }) => value);
}
