/** Reads the settings of a git repository and the hooks that would run, from its files. */
import { accessSync, constants, statSync } from 'node:fs';
import { basename, join, sep, dirname } from 'node:path';
import { isBelow } from '../../../base/inside.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { GitUserFacts, NestedRepository, RepositoryFacts } from '../../../wire/policy.ts';
import { hookFolders } from '../../obeyed/git/git-paths.ts';
import { type Environment, homeOfGit } from '../../obeyed/home.ts';
import { settingsOf, settingsOfUser, settingsReader } from '../../obeyed/git/git-settings.ts';
import { gitlinksOf, indexReader, moduleFolders } from '../../obeyed/git/submodules.ts';
import type { ObjectFormat } from '../../obeyed/git/object-format.ts';
import { type BoundedReader, realOf, whyUnlisted } from '../../obeyed/reading.ts';
import {
  findRepository,
  pathFrom,
  repositoryAt,
  repositoryIn,
  type Repository,
  type Unclear,
} from '../../obeyed/git/repository.ts';
import { isOutsideOf } from './workspace.ts';

const MOST_NESTED = 200;

/**
 * Returns the facts of the repository that git would use in a folder; undefined where there is none. An instance caches what it
 * reads and has one budget for all of it, so it is for a single judgement.
 */
export function repositoryFactsReader(workspace: string): (folder: string) => RepositoryFacts | undefined {
  const readers = { settings: settingsReader(), indexes: indexReader(), workspace };
  const known = new Map<string, RepositoryFacts>();
  return (folder) => {
    try {
      const found = findRepository(folder);
      if (found === undefined) return undefined;
      if ('unclear' in found) return unreadable(found.unclear);
      const key = JSON.stringify([found.git, found.top]);
      const facts = known.get(key) ?? factsOf(found, readers);
      known.set(key, facts);
      return facts;
    } catch (error) {
      return unreadable(`the repository of ${folder} cannot be read (${messageOf(error)})`);
    }
  };
}

/** The user's settings of git, with this environment or that of the process. Git reads only the home that the environment sets. */
export function gitUserFacts(workspace: string, env?: Environment): GitUserFacts {
  const { settings, unreadable, broken } = settingsOfUser(homeOfGit(env), env, workspace);
  const why = unreadable ?? broken;
  return { settings, ...(why === undefined ? {} : { unreadable: why }) };
}

interface Looked {
  readonly repository: Repository;
  readonly facts: RepositoryFacts;
  readonly objectFormat: ObjectFormat | undefined;
}

interface Readers {
  readonly workspace: string;
  readonly settings: BoundedReader;
  readonly indexes: BoundedReader;
}

function factsOf(found: Repository, readers: Readers): RepositoryFacts {
  const own = lookAt(found, (worktree) => worktree === found.top, readers);
  if ('unclear' in own) return unreadable(own.unclear);
  const nested = nestedFacts(own, readers);
  if ('unclear' in nested) return unreadable(nested.unclear);
  const outside = own.facts.outside ?? nested.find((one) => one.outside !== undefined)?.outside;
  const linked = linkedOutside(found, readers);
  const isTreeInside = !isOutsideOf(readers.workspace, found.top) && nested.every((one) => one.outside === undefined);
  return {
    ...own.facts,
    nested,
    ...(outside === undefined ? {} : { outside }),
    ...(outside !== undefined && isTreeInside ? { isTreeInside: true as const } : {}),
    ...(linked === undefined ? {} : { worktreeOutside: linked }),
  };
}

/** The first linked worktree that is outside the workspace. */
function linkedOutside({ shared }: Repository, { settings, workspace }: Readers): string | undefined {
  const names = settings.list(join(shared, 'worktrees'));
  if (names === 'unreadable' || names === 'too-many') return join(shared, 'worktrees');
  return (names === 'missing' ? [] : names)
    .map((name) => join(shared, 'worktrees', name))
    .map((folder) => {
      const pointer = settings.read(join(folder, 'gitdir'));
      return Buffer.isBuffer(pointer) ? dirname(pathFrom(folder, pointer.toString('utf8').trimEnd())) : folder;
    })
    .find((worktree) => isOutsideOf(workspace, worktree));
}

/** The facts of all submodules and nested repositories, at any depth. */
function nestedFacts(outer: Looked, readers: Readers): readonly NestedRepository[] | Unclear {
  const facts = new Map<string, NestedRepository>();
  const { top } = outer.repository;
  const queue: Looked[] = [outer];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const entered = repositoriesEntered(next, readers);
    if ('unclear' in entered) return entered;
    for (const repository of entered) {
      if (facts.has(repository.git)) continue;
      if (facts.size >= MOST_NESTED) return { unclear: `${top} has more than ${MOST_NESTED} submodules` };
      const own = lookAt(repository, (worktree) => isBelow(worktree, top, sep), readers);
      if ('unclear' in own) return own;
      facts.set(repository.git, { ...own.facts, folder: repository.git });
      queue.push(own);
    }
  }
  return [...facts.values()];
}

function repositoriesEntered(
  { repository, objectFormat }: Looked,
  { settings, indexes }: Readers,
): readonly Repository[] | Unclear {
  const links = gitlinksOf(repository.git, objectFormat, indexes);
  const modules = moduleFolders(repository, settings);
  if ('unclear' in links) return links;
  if ('unclear' in modules) return modules;
  const found = new Map<string, Repository>();
  for (const each of [
    ...links.map((path) => repositoryIn(join(repository.top, path))),
    // Git, too, finds nothing at relative hook folders of a module without a worktree.
    ...modules.map((git) => repositoryAt(git, git)),
  ]) {
    if (each === undefined) continue;
    if ('unclear' in each) return each;
    if (!found.has(each.git)) found.set(each.git, each);
  }
  return [...found.values()];
}

/** Settings and hooks of one repository. A `core.worktree` with the expected value is not reported. */
function lookAt(repository: Repository, isExpected: (worktree: string) => boolean, readers: Readers): Looked | Unclear {
  const read = settingsOf(repository, readers.settings);
  const unclear = read.unreadable ?? read.broken ?? oldRemotes(repository, readers.settings);
  if (unclear !== undefined) return { unclear };
  const folders = hookFolders(repository, read.settings);
  const hookFiles = 'unclear' in folders ? folders : enabledHooks(folders, readers.settings);
  if ('unclear' in hookFiles) return hookFiles;
  const hooks = [...new Set(hookFiles.map((file) => basename(file)))];
  const settings = read.settings.filter(
    ({ name, value }) => name !== 'core.worktree' || !isExpected(realOf(pathFrom(repository.git, value)) ?? ''),
  );
  const outside = [repository.top, repository.git, repository.shared].find((folder) =>
    isOutsideOf(readers.workspace, folder),
  );
  return {
    repository,
    facts: { settings, hooks, hookFiles, ...(outside === undefined ? {} : { outside }) },
    objectFormat: read.objectFormat,
  };
}

/** Remotes in the old formats of git, from before they were settings. */
function oldRemotes({ shared }: Repository, reader: BoundedReader): string | undefined {
  const folder = [join(shared, 'remotes'), join(shared, 'branches')].find((each) => {
    const names = reader.list(each);
    return typeof names === 'string' ? names !== 'missing' : names.length > 0;
  });
  return folder === undefined ? undefined : `${folder} has remotes in an old format that pincer does not read`;
}

function enabledHooks(folders: readonly string[], reader: BoundedReader): readonly string[] | Unclear {
  const found: string[] = [];
  for (const folder of folders) {
    const names = reader.list(folder);
    if (names === 'unreadable' || names === 'too-many') return { unclear: whyUnlisted(folder, names) };
    if (names === 'missing') continue;
    for (const name of names)
      if (/^[a-z0-9-]+$/u.test(name) && isExecutable(`${folder}/${name}`)) found.push(`${folder}/${name}`);
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // git ignores it, too
  }
}

function unreadable(why: string): RepositoryFacts {
  return { settings: [], hooks: [], unreadable: why };
}
