/** What a git repository says by itself, read from its files: its own settings, and the hooks that would run. */
import { accessSync, constants, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { NestedRepository, RepositoryFacts, RepositorySetting } from '../../wire/policy.ts';
import { hookFolders } from '../obeyed/git-paths.ts';
import { settingsOf } from '../obeyed/git-settings.ts';
import { gitlinksOf, moduleFolders } from '../obeyed/nested.ts';
import { listFolder, realOf } from '../obeyed/reading.ts';
import {
  findRepository,
  from,
  repositoryAt,
  repositoryIn,
  type Repository,
  type Unclear,
} from '../obeyed/repository.ts';

const MOST_NESTED = 200;

/** The facts about the repository that git would find from this folder; undefined where there is none. */
export function repositoryFactsAt(folder: string): RepositoryFacts | undefined {
  try {
    const found = findRepository(folder);
    return found === undefined ? undefined : factsOf(found);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return unreadable(`the repository of ${folder} cannot be read (${why})`);
  }
}

function factsOf(found: Repository | Unclear): RepositoryFacts {
  if ('unclear' in found) return unreadable(found.unclear);
  const own = ownFacts(found, (worktree) => worktree === found.top);
  if (own.unreadable !== undefined) return own;
  const nested = nestedFacts(found, own.settings);
  return 'unclear' in nested ? unreadable(nested.unclear) : { ...own, nested };
}

/** The facts of all repositories that git enters from this one, at any depth. */
function nestedFacts(outer: Repository, settings: readonly RepositorySetting[]): readonly NestedRepository[] | Unclear {
  const facts = new Map<string, NestedRepository>();
  const isBelow = (worktree: string): boolean => worktree.startsWith(outer.top + sep);
  const queue: { readonly repository: Repository; readonly settings: readonly RepositorySetting[] }[] = [
    { repository: outer, settings },
  ];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const entered = repositoriesEntered(next.repository, next.settings);
    if ('unclear' in entered) return entered;
    for (const repository of entered) {
      if (facts.has(repository.git)) continue;
      if (facts.size >= MOST_NESTED) return { unclear: `${outer.top} has more than ${MOST_NESTED} submodules` };
      const own = ownFacts(repository, isBelow);
      if (own.unreadable !== undefined) return { unclear: own.unreadable };
      facts.set(repository.git, { ...own, folder: repository.git });
      queue.push({ repository, settings: own.settings });
    }
  }
  return [...facts.values()];
}

function repositoriesEntered(
  repository: Repository,
  settings: readonly RepositorySetting[],
): readonly Repository[] | Unclear {
  const links = gitlinksOf(repository.git, settings);
  const modules = moduleFolders(repository);
  if ('unclear' in links) return links;
  if ('unclear' in modules) return modules;
  const found: Repository[] = [];
  for (const each of [
    ...links.map((path) => repositoryIn(join(repository.top, path))),
    // Relative hook folders of a module without a worktree lead nowhere, as they do for git.
    ...modules.map((git) => repositoryAt(git, git)),
  ]) {
    if (each === undefined) continue;
    if ('unclear' in each) return each;
    if (!found.some(({ git }) => git === each.git)) found.push(each);
  }
  return found;
}

/** Settings and hooks of one repository. A worktree that is where it is expected anyway is no setting. */
function ownFacts(repository: Repository, isExpected: (worktree: string) => boolean): RepositoryFacts {
  const read = settingsOf(repository);
  const why = read.unreadable ?? read.broken ?? oldRemotes(repository);
  if (why !== undefined) return unreadable(why);
  const hooks = enabledHooks(hookFolders(repository, read.settings));
  if ('unclear' in hooks) return unreadable(hooks.unclear);
  const settings = read.settings.filter(
    ({ name, value }) => name !== 'core.worktree' || !isExpected(realOf(from(repository.git, value)) ?? ''),
  );
  return { settings, hooks };
}

/** Addresses of remotes in a form from before there were settings for them. */
function oldRemotes({ shared }: Repository): string | undefined {
  const folder = [join(shared, 'remotes'), join(shared, 'branches')].find((each) => {
    const names = listFolder(each);
    return names === 'unreadable' || (names !== 'missing' && names.length > 0);
  });
  return folder === undefined ? undefined : `${folder} names remotes in a form that is not looked into`;
}

function enabledHooks(folders: readonly string[]): readonly string[] | Unclear {
  const found = new Set<string>();
  for (const folder of folders) {
    const names = listFolder(folder);
    if (names === 'unreadable') return { unclear: `the hooks in ${folder} cannot be read` };
    if (names === 'missing') continue;
    for (const name of names) if (/^[a-z0-9-]+$/u.test(name) && isExecutable(`${folder}/${name}`)) found.add(name);
  }
  return [...found];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // git passes it over, too
  }
}

function unreadable(why: string): RepositoryFacts {
  return { settings: [], hooks: [], unreadable: why };
}
