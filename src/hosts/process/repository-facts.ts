/** What a git repository says by itself, read from its files: its own settings, and the hooks that would run. */
import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { RepositoryFacts, RepositorySetting } from '../../wire/policy.ts';
import { readGitConfig } from '../obeyed/git-config.ts';
import { readSmallFile } from '../obeyed/reading.ts';

/** A repository without working files has these at its top. */
const BARE = ['HEAD', 'objects', 'refs'];

/** The facts about the repository that git would find from this folder; undefined where there is none. */
export function repositoryFactsAt(folder: string): RepositoryFacts | undefined {
  const git = gitFolderOf(folder);
  if (git === undefined) return undefined;
  if (typeof git !== 'string') return { settings: [], hooks: [], unreadable: git.why };
  const shared = sharedFolder(git);
  const files = [join(shared, 'config'), join(shared, 'config.worktree'), join(git, 'config.worktree')];
  const settings: RepositorySetting[] = [];
  for (const file of new Set(files)) {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) continue;
    const text = readSmallFile(file);
    if (text === undefined) return { settings: [], hooks: [], unreadable: `the settings in ${file} cannot be read` };
    settings.push(...readGitConfig(text));
  }
  const named = settings.findLast(({ name }) => name === 'core.hookspath')?.value;
  const hooks = named === undefined ? join(shared, 'hooks') : resolve(folder, named);
  return { settings, hooks: enabledHooks(hooks) };
}

/** The folder that git keeps the repository of a folder in. */
function gitFolderOf(folder: string): string | { readonly why: string } | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const dotGit = join(at, '.git');
    const stats = statSync(dotGit, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return dotGit;
    if (stats?.isFile() === true) {
      const target = /^gitdir: (.+?)\s*$/u.exec(readSmallFile(dotGit) ?? '')?.[1];
      return target === undefined ? { why: `${dotGit} names no repository` } : resolve(at, target);
    }
    if (BARE.every((name) => lstatSync(join(at, name), { throwIfNoEntry: false }) !== undefined))
      return { why: `${at} is itself the inside of a repository` };
    if (dirname(at) === at) return undefined;
  }
}

/** A worktree has its settings in the repository that it belongs to. */
function sharedFolder(git: string): string {
  const named = readSmallFile(join(git, 'commondir'))?.trim();
  return named === undefined || named === '' ? git : isAbsolute(named) ? named : join(git, named);
}

function enabledHooks(folder: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // no folder, so no hooks
  }
  return names.filter((name) => /^[a-z0-9-]+$/u.test(name) && isExecutable(join(folder, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // git passes it over, too
  }
}
