/** The folders that git keeps a repository in, whatever their names are. */
import { constants, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Located } from '../host.ts';
import { hookFolders } from '../obeyed/hooks-path.ts';
import { foldName } from '../obeyed/names.ts';
import { LEAF_ONLY } from './pin.ts';
import { splitPath } from './steps.ts';

/**
 * Git takes a folder with `HEAD` and some of these for a repository, and obeys its hooks and settings. Two of them are enough
 * to be refused, because the rest can be made with any other program.
 */
const BESIDE_HEAD = ['objects', 'refs', 'commondir', 'config', 'config.worktree', 'hooks'] as const;
/** A pointer file says one path; what is longer is none. */
const MOST_POINTER = 4096;
// Node takes numbers here, too; its types know only names.
const READ_ITSELF = (constants.O_RDONLY | LEAF_ONLY) as unknown as string;

/**
 * The first of these files that stands in a repository's own folder, or that would make its folder one. The names
 * above each file are looked at, once per folder: two looks where there is nothing of git.
 */
export function inGitFolder(files: readonly Located[]): Located | undefined {
  const wanted = new Map<string, Set<string>>();
  for (const { path, root } of files) {
    for (const [folder, name] of foldersAbove(path, root!)) {
      const names = wanted.get(folder);
      if (names === undefined) wanted.set(folder, new Set([foldName(name)]));
      else names.add(foldName(name));
    }
  }
  const repositories: string[] = [];
  for (const [folder, names] of wanted) {
    if (isRepository(folder, names)) repositories.push(folder);
    const dotGit = below(folder, '.git');
    const stats = look(dotGit);
    if (stats === undefined) continue;
    const kept = stats.isDirectory() ? undefined : keptElsewhere(dotGit);
    if (kept !== undefined) repositories.push(kept);
    repositories.push(...hookFolders(kept ?? dotGit, folder));
  }
  if (repositories.length === 0) return undefined;
  return files.find(({ path }) => repositories.some((folder) => path === folder || path.startsWith(folder + sep)));
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

function isRepository(folder: string, coming: ReadonlySet<string>): boolean {
  const has = (name: string): boolean => coming.has(name.toLowerCase()) || stands(below(folder, name));
  return has('HEAD') && BESIDE_HEAD.some(has);
}

/** Where the repository is kept that a link or a file called `.git` points at; undefined when it points nowhere. */
function keptElsewhere(dotGit: string): string | undefined {
  const stats = look(dotGit);
  if (stats === undefined || stats.isDirectory()) return undefined;
  try {
    if (stats.isSymbolicLink()) return realpathSync(dotGit);
    if (!stats.isFile() || stats.size > MOST_POINTER) return undefined;
    const target = /^gitdir: (.+?)\s*$/u.exec(readFileSync(dotGit, { encoding: 'utf8', flag: READ_ITSELF }))?.[1];
    return target === undefined ? undefined : realpathSync(resolve(dirname(dotGit), target));
  } catch {
    return undefined; // it leads to nothing that is there, or that we could write
  }
}

function stands(path: string): boolean {
  return look(path) !== undefined;
}

function look(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // what cannot be looked at cannot be written either, and the write says why
  }
}
