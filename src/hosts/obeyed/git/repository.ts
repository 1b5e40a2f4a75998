/** Where git finds a repository, and in which files that repository keeps what git obeys. All paths are real ones. */
import { accessSync, constants } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isHead } from './head.ts';
import { type BoundedReader, entryAt, readWholeFile, realOf, realPlaceOf, whyUnlisted } from '../reading.ts';

/** A repository as git sees it. */
export interface Repository {
  /** The folder that git keeps it in. */
  readonly git: string;
  /** The folder that its worktrees share; the same as `git` where there are no others. */
  readonly shared: string;
  /** The top of the working tree. */
  readonly top: string;
}

/** Why it cannot be told which repository git would use, or what that one says. */
export interface Unclear {
  readonly unclear: string;
}

/** A pointer file names one path. */
const MOST_POINTER = 4096;
const POINTER = 'gitdir: ';
/** Each one has a file of settings. */
const MOST_WORKTREES = 1000;

/** The names that make a folder a repository for git. */
export const REPOSITORY_NAMES = ['HEAD', 'commondir', 'objects', 'refs'] as const;

/** Whether a folder is a repository for git, by its names, asked one by one. */
export function isRepositoryByNames(has: (name: (typeof REPOSITORY_NAMES)[number]) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/** Whether only a further name is missing until a folder is a repository: any program could add that one. */
export function isNearlyRepository(has: (name: string) => boolean): boolean {
  return has('HEAD') && ['objects', 'refs', 'commondir', 'config', 'config.worktree', 'hooks'].some(has);
}

/** The repository that git finds from a folder upwards; undefined where there is none. */
export function findRepository(folder: string): Repository | Unclear | undefined {
  const start = realOf(folder);
  if (start === undefined) return { unclear: `${folder} does not exist or cannot be read` };
  for (let at = start; ; at = dirname(at)) {
    const found = repositoryIn(at);
    if (found !== undefined) return found;
    if (isRepositoryByNames((name) => entryAt(join(at, name)) !== 'missing'))
      return { unclear: `${at} is itself the inside of a repository` };
    if (dirname(at) === at) return undefined;
  }
}

/** The repository of which a folder is the top; undefined where git looks further up. */
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
  return git === undefined ? { unclear: `${dotGit} names no repository` } : repositoryAt(git, top);
}

/** The repository that is kept in a folder; unclear where git would not take it for one. */
export function repositoryAt(git: string, top: string): Repository | Unclear {
  const named = sharedTarget(git);
  const shared = named === undefined ? git : realOf(named);
  if (shared === undefined) return { unclear: `${join(git, 'commondir')} names no folder` };
  const isWhole = isHead(join(git, 'HEAD')) && ['objects', 'refs'].every((name) => isEnterable(join(shared, name)));
  return isWhole ? { git, shared, top } : { unclear: `${git} is not a whole repository` };
}

/** The repository that the name `.git` in a folder leads to, whether it is there and whole or not. */
export function claimedRepository(top: string): Repository {
  const dotGit = join(top, '.git');
  const git = realPlaceOf(pointerTarget(dotGit) ?? dotGit);
  return { git, shared: realPlaceOf(sharedTarget(git) ?? git), top };
}

/** The folder that a file `.git` names, as git would open it: neither normalised nor followed. Undefined for other files. */
export function pointerTarget(file: string): string | undefined {
  const text = pointerText(file);
  if (text === undefined || !text.startsWith(POINTER) || text.length === POINTER.length) return undefined;
  return from(dirname(file), text.slice(POINTER.length));
}

/** The folder that the file `commondir` of a repository's folder names, in the same form; undefined without such a file. */
export function sharedTarget(git: string): string | undefined {
  const file = join(git, 'commondir');
  if (entryAt(file) === 'missing') return undefined;
  // What cannot be read names nothing that exists, so that the repository is unclear.
  return from(git, pointerText(file) || '\0');
}

/** The files with settings of a repository, which need not exist, and why there may be more of them. */
export interface ConfigFiles {
  /** The first is the one that all worktrees share. */
  readonly files: readonly string[];
  readonly unreadable?: string;
}

/** Files with settings of a repository. Those of other worktrees count: git enters them, too. */
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

/** A path as git takes it from a folder. Not normalised: `..` behind a link means what the kernel says. */
export function from(folder: string, path: string): string {
  return isAbsolute(path) ? path : `${folder}/${path}`;
}

function isEnterable(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return entryAt(folder) === 'folder';
  } catch {
    return false; // git passes such a repository over
  }
}

/** Git takes the line feeds at the end away, and nothing else. */
function pointerText(file: string): string | undefined {
  const bytes = readWholeFile(file, MOST_POINTER);
  const text = Buffer.isBuffer(bytes) ? bytes.toString('utf8').replace(/[\r\n]+$/u, '') : undefined;
  return text === undefined || /[\0\ufffd]/u.test(text) ? undefined : text;
}
