/**
 * What git obeys in a workspace, when somebody on this machine asks it for no more than the state of the files: the settings
 * and hooks of a repository, wherever they stand.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import type { Guard } from '../profile.ts';
import type { ObeyedPath } from '../../obeyed/git/git-paths.ts';
import { gitlinksOf } from '../../obeyed/git/nested.ts';
import { isHead, mayBeHead } from '../../obeyed/git/head.ts';
import type { ObeyedBudget } from '../../obeyed/obeyed-budget.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';
import { type NamedRepository, repositoryPaths } from '../../obeyed/git/repository-paths.ts';
import { isRepositoryByNames } from '../../obeyed/git/repository.ts';
import type { Guards } from './guards.ts';
import type { Held, Holds } from './hold.ts';
import { placeholder, type Placeholder } from './placeholder.ts';

const DEEPEST = 5;

/**
 * The whole of `.git` is not written: besides hooks and settings, a file `commondir` in it would name other ones, and the
 * list of a rebase starts programs. An operator who wants commits from inside binds it by hand.
 */
export function protectRepository(
  spec: SandboxSpec,
  workspace: Held,
  guards: Guards,
  budget: ObeyedBudget,
): Placeholder | undefined {
  const found = guards.look('.git');
  if (found?.kind === 'link' || found?.kind === 'other')
    throw refused(
      workspace,
      'its .git is a link, which cannot be protected',
      'put a file .git with the line "gitdir: <folder>" in its place',
    );
  if (found?.kind === 'file') {
    obeyRepository({ git: join(workspace.path(), '.git'), files: workspace.path() }, guards, budget);
    return undefined;
  }
  let made: Placeholder | undefined;
  if (found === undefined || !isRepository(found)) {
    refuseBare(workspace);
    made = placeholder(workspace, spec.id);
    if (made !== undefined) keepHead(guards, made);
  }
  try {
    obeyRepository({ git: join(workspace.path(), '.git'), files: workspace.path() }, guards, budget);
  } catch (error) {
    made?.release();
    throw error;
  }
  return made;
}

/** Guards all that git obeys when it is asked about these files. `git` may be a file that names the folder. */
export function obeyRepository(repository: NamedRepository, guards: Guards, budget: ObeyedBudget, depth = 0): void {
  const { git, files } = repository;
  guards.addObeyed(git, 'git');
  const { folder, objectFormat, paths, scripts, unreadable } = repositoryPaths(repository, budget);
  if (unreadable !== undefined) throw unclear(git, unreadable);
  for (const path of paths) guardPath(path, guards);
  for (const path of scripts) {
    const place = guards.within(path);
    if (place !== undefined) guards.addScript(place);
  }
  if (depth > DEEPEST) return;
  const links = gitlinksOf(folder, objectFormat, budget.indexes);
  if ('unclear' in links) throw unclear(git, links.unclear);
  for (const path of links) obeyWithin(join(files, path), guards, budget, depth + 1);
}

/** Guards a path by its name, which refuses links that could be turned, and what it leads to. */
function guardPath({ path, kind, namedBy }: ObeyedPath, guards: Guards): void {
  for (const each of new Set([join(path), realPlaceOf(path)]))
    if (kind === 'folder') guards.addObeyedFolder(each, namedBy);
    else guards.addObeyedFile(each, namedBy);
}

/** A repository within another: git asks it for its state whenever the outer one is asked. Where none is, none is made. */
function obeyWithin(files: string, guards: Guards, budget: ObeyedBudget, depth: number): void {
  const place = guards.within(files);
  if (place === undefined) return;
  if (guards.look(join(place, '.git')) === undefined) guards.addObeyedFolder(files, 'the index of the repository');
  else obeyRepository({ git: join(files, '.git'), files }, guards, budget, depth);
}

/** Whether git certainly takes this for a repository; where it does not, it looks at the folder around it next. */
function isRepository(folder: Held): boolean {
  const names = new Set(readdirSync(folder.below('.')));
  return isHead(folder.below('HEAD')) && isRepositoryByNames((name) => names.has(name));
}

/** A workspace that is itself the inside of a repository has nothing that could be written. */
function refuseBare(workspace: Held): void {
  if (mayBeHead(workspace.below('HEAD')))
    throw refused(
      workspace,
      'its file HEAD makes git take it for the inside of a repository, with settings and hooks of whoever writes here',
      'remove or rename HEAD, work in a folder with the files of the repository',
    );
}

/**
 * Where `.git` is no repository, git looks for one beside it: HEAD, objects, refs and settings at the top of the workspace
 * itself. With a folder in the place of HEAD there is none.
 */
function keepHead(guards: Guards, made: Placeholder): void {
  const isFile = guards.look('HEAD')?.kind === 'file';
  guards.add('HEAD', isFile || made.takeHead() ? 'ro' : 'pin');
}

/** With `.git` bound by the operator: what certainly starts programs stays closed. */
export function withinGit(workspace: Held, holds: Holds): Guard[] {
  const git = holds.hold(workspace.below('.git'));
  if (git?.kind !== 'folder') return [];
  mkdirSync(git.below('hooks'), { recursive: true });
  return ['hooks', 'config', 'config.worktree', 'commondir', 'modules', 'worktrees'].flatMap((name) => {
    const held = holds.hold(git.below(name));
    if (held?.kind !== 'folder' && held?.kind !== 'file') return [];
    return [{ target: `${INSIDE}/.git/${name}`, how: 'ro' as const, source: { fd: held.fd } }];
  });
}

function unclear(git: string, why: string): Fault {
  return new Fault('SANDBOX_WORKSPACE_REFUSED', `${why}, so it cannot be told which files ${git} makes git obey`, {
    hint: 'repair the repository, or set sandbox.workspaceAccess to "ro"',
  });
}

function refused(workspace: Held, why: string, hint: string): Fault {
  return new Fault('SANDBOX_WORKSPACE_REFUSED', `${workspace.path()} cannot be written by a sandbox: ${why}`, {
    hint: `${hint}, or set sandbox.workspaceAccess to "ro"`,
  });
}
