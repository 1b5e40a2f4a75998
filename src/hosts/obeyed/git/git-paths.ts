/** Files and folders outside of the repository folder that git obeys because of settings of the repository or of the user. */
import { basename, dirname, join } from 'node:path';
import type { GitSetting } from './git-config.ts';
import { expanded, type RepositorySettings, settingsOfUser, userSettings } from './git-settings.ts';
import { obeyedAt } from '../match.ts';
import { foldersNamed } from '../named-by-settings.ts';
import { type BoundedReader, entryAt, linkText, whyUnlisted } from '../reading.ts';
import type { Repository, Unclear } from './repository.ts';

/** A path as it is named, neither normalized nor resolved. */
export interface ObeyedPath {
  readonly path: string;
  /** The kind that git expects. */
  readonly kind: 'file' | 'folder';
  readonly namedBy: string;
}

/** Hook managers keep git's hooks in this folder, below the folder of the scripts that the hooks start. */
const BELOW_SCRIPTS = '_';
const HOOKS = 'core.hookspath';
/** Git uses one of them; which one depends on conditions and on its version. */
const MOST_HOOK_FOLDERS = 50;

export interface ObeyedPaths {
  readonly paths: readonly ObeyedPath[];
  /** Why there may be more. */
  readonly unreadable?: string;
}

export type NamingSettings = Pick<RepositorySettings, 'settings' | 'files' | 'included' | 'unreadable'>;

/** Config files, folders of hooks and templates, and the targets of symlinks among them. */
export function pathsObeyed(
  repository: Repository,
  { settings, files, included }: NamingSettings,
  reader: BoundedReader,
  user: () => NamingSettings = userSettings(),
): ObeyedPaths {
  const own = join(repository.shared, 'hooks');
  const ofUser = user();
  const named = hookFolders(repository, settings, () => ofUser.settings);
  let unreadable = ofUser.unreadable ?? ('unclear' in named ? named.unclear : undefined);
  const hooks = 'unclear' in named ? [] : named.filter((folder) => folder !== own);
  const others = foldersNamed(
    [...settings, ...ofUser.settings].filter(({ name }) => name !== HOOKS),
    repository.top,
  );
  const candidates = [...files, own];
  for (const folder of [own, ...hooks, ...others, ...others.map((template) => `${template}/hooks`)]) {
    const names = reader.list(folder);
    if (names === 'too-many') unreadable ??= whyUnlisted(folder, names);
    if (typeof names !== 'string') for (const name of names) candidates.push(`${folder}/${name}`);
  }
  const links = candidates.filter((path) => linkText(path) !== undefined);
  return {
    paths: [
      // Files in a home are found by their names.
      ...ofUser.files
        .filter((path) => obeyedAt(path.split('/')) === undefined)
        .map((path) => ({ path, kind: 'file' as const, namedBy: 'the user' })),
      ...[...included, ...ofUser.included].map((path) => ({ path, kind: 'file' as const, namedBy: 'include.path' })),
      ...others.map((path) => ({ path, kind: 'folder' as const, namedBy: 'the settings' })),
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
    ],
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

/** The folders of hooks: those that the repository names, or else those that the user names and the repository's own. */
export function hookFolders(
  { shared, top }: Repository,
  settings: readonly GitSetting[],
  user: () => readonly GitSetting[] = () => settingsOfUser().settings,
): readonly string[] | Unclear {
  const named = hookPaths(settings);
  // A user setting may be conditional, so the repository's own folder counts as well.
  const folders = named.length > 0 ? named : [...hookPaths(user()), join(shared, 'hooks')];
  // Relative to the top, wherever git was called.
  const distinct = new Set(folders.flatMap((value) => (value === '' ? ['/'] : expanded(top, value))));
  return distinct.size > MOST_HOOK_FOLDERS
    ? { unclear: `the settings of ${shared} name more than ${MOST_HOOK_FOLDERS} hook folders` }
    : [...distinct];
}

function hookPaths(settings: readonly GitSetting[]): string[] {
  return settings.filter(({ name }) => name === HOOKS).map(({ value }) => value);
}
