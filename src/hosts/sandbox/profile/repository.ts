/**
 * Guards what git obeys in a workspace even at a plain `git status` on the host: the settings and hooks of a repository,
 * wherever they are.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import type { Guard } from '../profile.ts';
import type { ObeyedPath } from '../../obeyed/git/git-paths.ts';
import { gitlinksOf } from '../../obeyed/git/submodules.ts';
import { isHead, mayBeHead } from '../../obeyed/git/head.ts';
import type { ObeyedBudget } from '../../obeyed/obeyed-budget.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';
import { type NamedRepository, repositoryPaths } from '../../obeyed/git/repository-paths.ts';
import { isRepositoryByNames } from '../../obeyed/git/repository.ts';
import type { Guards } from './guards.ts';
import type { PathHandle, PathHandles } from './path-handles.ts';
import { placeholder, type Placeholder } from './placeholder.ts';

const DEEPEST = 5;

/**
 * All of `.git` is read-only: besides hooks and settings, a file `commondir` would point to others, and the todo list of a
 * rebase starts programs. An operator who wants commits from inside binds `.git` explicitly.
 */
export function protectRepository(
  spec: SandboxSpec,
  workspace: PathHandle,
  guards: Guards,
  budget: ObeyedBudget,
): Placeholder | undefined {
  const found = guards.open('.git');
  if (found?.kind === 'link' || found?.kind === 'other')
    throw refused(
      workspace,
      'its .git is a symlink, which cannot be guarded',
      'replace it with a file .git with the line "gitdir: <folder>"',
    );
  if (found?.kind === 'file') {
    guardRepository({ git: join(workspace.path(), '.git'), files: workspace.path() }, guards, budget);
    return undefined;
  }
  let made: Placeholder | undefined;
  if (found === undefined || !isRepository(found)) {
    refuseBare(workspace);
    made = placeholder(workspace, spec.id);
    if (made !== undefined) guardHead(guards, made);
  }
  try {
    guardRepository({ git: join(workspace.path(), '.git'), files: workspace.path() }, guards, budget);
  } catch (error) {
    made?.release();
    throw error;
  }
  return made;
}

/** Guards everything that git obeys in a repository. `git` may be a file that names the folder. */
export function guardRepository(repository: NamedRepository, guards: Guards, budget: ObeyedBudget, depth = 0): void {
  const { git, files } = repository;
  guards.addObeyed(git, 'git');
  const { folder, objectFormat, paths, scripts, unreadable } = repositoryPaths(repository, budget);
  if (unreadable !== undefined) throw unknownObeyed(git, unreadable);
  for (const path of paths) guardPath(path, guards);
  for (const path of scripts) {
    const place = guards.relative(path);
    if (place !== undefined) guards.addScript(place);
  }
  if (depth > DEEPEST) return;
  const links = gitlinksOf(folder, objectFormat, budget.indexes);
  if ('unclear' in links) throw unknownObeyed(git, links.unclear);
  for (const path of links) guardNestedRepository(join(files, path), guards, budget, depth + 1);
}

/** Guards a path and its real path; a symlink that could be redirected is refused. */
function guardPath({ path, kind, namedBy }: ObeyedPath, guards: Guards): void {
  for (const each of new Set([join(path), realPlaceOf(path)]))
    if (kind === 'folder') guards.addObeyedFolder(each, namedBy);
    else guards.addObeyedFile(each, namedBy);
}

/** A submodule: git reads its status together with the outer repository. Where there is none, none may be created. */
function guardNestedRepository(files: string, guards: Guards, budget: ObeyedBudget, depth: number): void {
  const place = guards.relative(files);
  if (place === undefined) return;
  if (guards.open(join(place, '.git')) === undefined) guards.addObeyedFolder(files, 'the index of the repository');
  else guardRepository({ git: join(files, '.git'), files }, guards, budget, depth);
}

/** Whether git certainly treats this as a repository; otherwise it goes on to the parent folder. */
function isRepository(folder: PathHandle): boolean {
  const names = new Set(readdirSync(folder.below('.')));
  return isHead(folder.below('HEAD')) && isRepositoryByNames((name) => names.has(name));
}

/** In a workspace that is itself a git folder, git obeys every file. */
function refuseBare(workspace: PathHandle): void {
  if (mayBeHead(workspace.below('HEAD')))
    throw refused(
      workspace,
      'its file HEAD makes git treat it as a bare repository, whose settings and hooks a command could write',
      'remove or rename HEAD, or use the work tree of the repository as the workspace',
    );
}

/**
 * Where `.git` is not a repository, git looks for a bare one at the top of the workspace: HEAD, objects, refs and settings.
 * A folder in place of HEAD prevents that.
 */
function guardHead(guards: Guards, made: Placeholder): void {
  const isFile = guards.open('HEAD')?.kind === 'file';
  guards.add('HEAD', isFile || made.takeHead() ? 'ro' : 'pin');
}

/** Guards inside a `.git` that the operator has bound: files that certainly start programs stay read-only. */
export function guardsInBoundGit(workspace: PathHandle, handles: PathHandles): Guard[] {
  const git = handles.open(workspace.below('.git'));
  if (git?.kind !== 'folder') return [];
  mkdirSync(git.below('hooks'), { recursive: true });
  return ['hooks', 'config', 'config.worktree', 'commondir', 'modules', 'worktrees'].flatMap((name) => {
    const handle = handles.open(git.below(name));
    if (handle?.kind !== 'folder' && handle?.kind !== 'file') return [];
    return [{ target: `${INSIDE}/.git/${name}`, how: 'ro' as const, source: { fd: handle.fd } }];
  });
}

function unknownObeyed(git: string, why: string): Fault {
  return new Fault('SANDBOX_WORKSPACE_REFUSED', `${why}, so pincer cannot know which files ${git} makes git obey`, {
    hint: 'repair the repository, or set sandbox.workspaceAccess to "ro"',
  });
}

function refused(workspace: PathHandle, why: string, hint: string): Fault {
  return new Fault('SANDBOX_WORKSPACE_REFUSED', `${workspace.path()} cannot be a writable workspace: ${why}`, {
    hint: `${hint}, or set sandbox.workspaceAccess to "ro"`,
  });
}
