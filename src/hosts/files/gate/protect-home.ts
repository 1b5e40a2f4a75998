/** Protects what shells, git, ssh and other programs obey in a home folder, also through links into the workspace. */
import { join, relative, sep } from 'node:path';
import type { Located } from '../shape.ts';
import { settingsOfUser } from '../../obeyed/git/git-settings.ts';
import { configFolderNamed, homesOfUser } from '../../obeyed/home.ts';
import { filesNamed, foldersNamed } from '../../obeyed/named-by-settings.ts';
import { foldName } from '../../obeyed/fold-name.ts';
import { linkText, namesIn, realPlaceOf } from '../../obeyed/reading.ts';
import { CLOSED_IN_HOME, OBEYED, OPEN_IN_HOME } from '../../obeyed/table.ts';
import { FOLDS_CASE, isWithin } from './protect.ts';
import { homeProtected } from './refusals.ts';

const IN_HOME = OBEYED.filter(({ inHome }) => inHome === true).flatMap(({ patterns }) => patterns);

const CLOSED_PATHS_IN_HOME = CLOSED_IN_HOME.map((path) => path.split('/').map(foldName));

/** The real home folders that programs of this user use. */
export function homesOf(home: string | undefined): readonly string[] {
  return [...new Set([...homesOfUser(), ...(home === undefined ? [] : [home])].map((one) => realPlaceOf(one)))];
}

/** Refuses to write what is obeyed in a home. `workspace` itself stays writable, even if it is a dot folder in the home. */
export function refuseHome(files: readonly Located[], homes: readonly string[], workspace: string | undefined): void {
  const inside = files.filter(({ root }) => root !== undefined);
  if (inside.length === 0) return;
  for (const home of homes) {
    const closed = closedIn(home);
    for (const { path, root } of inside) {
      const isObeyed =
        closed.some(({ place, isNamed }) => isWithin(path, place, FOLDS_CASE) && (isNamed || isBelow(place, root!))) ||
        (hasClosedName(path, home) && isWithin(home, root!, FOLDS_CASE) && !isOwnWorkspace(path, home, workspace));
      if (isObeyed) throw homeProtected(path);
    }
  }
}

interface ClosedPlace {
  readonly place: string;
  /** The table or a setting names it; other paths are protected only if they are not the workspace itself. */
  readonly isNamed: boolean;
}

function closedIn(home: string): readonly ClosedPlace[] {
  const { settings, files, included } = settingsOfUser([home]);
  // Relative paths are resolved from each repository, and protected there.
  const named = [
    ...IN_HOME.map((name) => join(home, name)),
    ...configFolderNamed().map((folder) => join(folder, 'git')),
    ...files,
    ...included,
    ...foldersNamed(settings),
    ...(filesNamed(settings) ?? []),
  ];
  const withDot = namesIn(home).filter((name) => isClosedName(name));
  const inConfig = namesIn(join(home, '.config')).map((name) => join('.config', name));
  const links = [...withDot, ...inConfig, ...CLOSED_IN_HOME]
    .map((name) => join(home, name))
    .filter((path) => linkText(path) !== undefined);
  return [
    ...named.map((path) => ({ place: realPlaceOf(path), isNamed: true })),
    ...[...links, ...configFolderNamed()].map((path) => ({ place: realPlaceOf(path), isNamed: false })),
  ];
}

function hasClosedName(path: string, home: string): boolean {
  if (!isBelow(path, home)) return false;
  const names = relative(home, path).split(sep);
  const folded = names.map(foldName);
  // Writing a parent of a protected path creates a file or link in place of a folder.
  const isOnClosed = (closed: readonly string[]): boolean =>
    folded.slice(0, closed.length).every((name, i) => name === closed[i]);
  return isClosedName(names[0]!) || CLOSED_PATHS_IN_HOME.some(isOnClosed);
}

function isClosedName(name: string): boolean {
  const folded = foldName(name);
  return folded.startsWith('.') && !OPEN_IN_HOME.has(folded);
}

/** If tools may leave the workspace, the boundary includes the home. */
function isOwnWorkspace(path: string, home: string, workspace: string | undefined): boolean {
  if (workspace === undefined) return false;
  const real = realPlaceOf(workspace);
  return isBelow(real, home) && isWithin(path, real, FOLDS_CASE);
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && isWithin(path, folder, FOLDS_CASE);
}
