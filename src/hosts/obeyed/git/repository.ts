/** Finds a repository as git does, and its config files. All paths are real paths. */
import { accessSync, constants } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isHead } from './head.ts';
import { type BoundedReader, entryAt, readWholeFile, realOf, realPlaceOf, whyUnlisted } from '../reading.ts';

export interface Repository {
  /** The git folder. */
  readonly git: string;
  /** The common folder of all worktrees; equal to `git` in the main worktree. */
  readonly shared: string;
  /** The top of the work tree. */
  readonly top: string;
}

/** Why the repository that git would use, or its settings, are unknown. */
export interface Unclear {
  readonly unclear: string;
}

/** A file `.git` or `commondir` contains one path. */
const MOST_POINTER = 4096;
const POINTER = 'gitdir: ';
/** Each has its own config file. */
const MOST_WORKTREES = 1000;

/** The names that make a folder a repository. */
export const REPOSITORY_NAMES = ['HEAD', 'commondir', 'objects', 'refs'] as const;

export function isRepositoryByNames(has: (name: (typeof REPOSITORY_NAMES)[number]) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/** Whether a folder would become a repository with one more name, which any program could add. */
export function isNearlyRepository(has: (name: string) => boolean): boolean {
  return has('HEAD') && ['objects', 'refs', 'commondir', 'config', 'config.worktree', 'hooks'].some(has);
}

/** Searches a folder and its parents. */
export function findRepository(folder: string): Repository | Unclear | undefined {
  const start = realOf(folder);
  if (start === undefined) return { unclear: `${folder} does not exist or cannot be read` };
  for (let at = start; ; at = dirname(at)) {
    const found = repositoryIn(at);
    if (found !== undefined) return found;
    if (isRepositoryByNames((name) => entryAt(join(at, name)) !== 'missing'))
      return { unclear: `${at} is itself a git folder or a bare repository` };
    if (dirname(at) === at) return undefined;
  }
}

/** The repository whose top is this folder; undefined where git continues with the parent. */
export function repositoryIn(folder: string): Repository | Unclear | undefined {
  const top = realOf(folder);
  if (top === undefined) return undefined;
  const dotGit = join(top, '.git');
  const entry = entryAt(dotGit);
  if (entry === 'missing') return undefined;
  if (entry === 'unreadable') return { unclear: `${dotGit} cannot be read` };
  if (entry === 'folder') {
    const git = realOf(dotGit);
    if (git === undefined) return { unclear: `${dotGit} cannot be read` };
    const hasNames = isRepositoryByNames((name) => entryAt(join(git, name)) !== 'missing');
    return hasNames ? repositoryAt(git, top) : undefined;
  }
  const named = pointerTarget(dotGit);
  const git = named === undefined ? undefined : realOf(named);
  return git === undefined ? { unclear: `${dotGit} does not name a repository` } : repositoryAt(git, top);
}

/** Unclear where git would not accept the folder as a repository. */
export function repositoryAt(git: string, top: string): Repository | Unclear {
  const named = sharedTarget(git);
  const shared = named === undefined ? git : realOf(named);
  if (shared === undefined) return { unclear: `${join(git, 'commondir')} does not name a folder` };
  const isComplete = isHead(join(git, 'HEAD')) && ['objects', 'refs'].every((name) => isEnterable(join(shared, name)));
  return isComplete ? { git, shared, top } : { unclear: `${git} is not a complete repository` };
}

/** The repository that `.git` in a folder refers to, whether it exists or not. */
export function claimedRepository(top: string): Repository {
  const dotGit = join(top, '.git');
  const git = realPlaceOf(pointerTarget(dotGit) ?? dotGit);
  return { git, shared: realPlaceOf(sharedTarget(git) ?? git), top };
}

/** The folder that a file `.git` names, neither normalized nor resolved. Undefined for other files. */
export function pointerTarget(file: string): string | undefined {
  const text = pointerText(file);
  if (text === undefined || !text.startsWith(POINTER) || text.length === POINTER.length) return undefined;
  return pathFrom(dirname(file), text.slice(POINTER.length));
}

/** The folder that the file `commondir` names, in the same form; undefined without such a file. */
export function sharedTarget(git: string): string | undefined {
  const file = join(git, 'commondir');
  if (entryAt(file) === 'missing') return undefined;
  // For an unreadable file, a path that cannot exist, so that the repository is unclear.
  return pathFrom(git, pointerText(file) || '\0');
}

export interface ConfigFiles {
  /** Need not exist; the first is the one that all worktrees share. */
  readonly files: readonly string[];
  /** Why there may be more. */
  readonly unreadable?: string;
}

/** Includes the config files of other worktrees, because git enters those too. */
export function configFiles(
  { git, shared }: Pick<Repository, 'git' | 'shared'>,
  reader: Pick<BoundedReader, 'list'>,
): ConfigFiles {
  const worktrees = join(shared, 'worktrees');
  const names = reader.list(worktrees);
  const all = typeof names === 'string' ? [] : names;
  const folders = [shared, git, ...all.slice(0, MOST_WORKTREES).map((name) => join(worktrees, name))];
  const files = [...new Set([join(shared, 'config'), ...folders.map((folder) => join(folder, 'config.worktree'))])];
  if (names === 'unreadable' || names === 'too-many') return { files, unreadable: whyUnlisted(worktrees, names) };
  return all.length > MOST_WORKTREES
    ? { files, unreadable: `${worktrees} has more than ${MOST_WORKTREES} worktrees` }
    : { files };
}

/** Not normalized, because `..` after a symlink must mean what it means to the kernel. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : `${folder}/${path}`;
}

function isEnterable(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return entryAt(folder) === 'folder';
  } catch {
    return false; // git skips such a repository
  }
}

/** Git removes trailing line breaks and nothing else. */
function pointerText(file: string): string | undefined {
  const bytes = readWholeFile(file, MOST_POINTER);
  const text = Buffer.isBuffer(bytes) ? bytes.toString('utf8').replace(/[\r\n]+$/u, '') : undefined;
  return text === undefined || /[\0\ufffd]/u.test(text) ? undefined : text;
}
