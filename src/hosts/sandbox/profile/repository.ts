/**
 * What git obeys in a workspace, when somebody on this machine asks it for no more than the state of the files: the settings
 * and hooks of a repository, wherever they stand.
 */
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import type { Guard } from '../profile.ts';
import { readGitConfig, type GitSetting } from '../../obeyed/git-config.ts';
import { repositoriesIn } from '../../obeyed/git-index.ts';
import type { Guards } from './guards.ts';
import type { Held, Holds } from './hold.ts';
import { placeholder, type Placeholder } from './placeholder.ts';
import { namesIn, readFile, readSmallFile, realOf } from '../../obeyed/reading.ts';

/** Settings that name further files of settings. */
const INCLUDES = ['include.path', 'includeif.path'];
/** Settings whose programs git starts, some of them when it is only asked for the state of the files. */
const STARTED =
  /^(?:core\.(?:fsmonitor|sshcommand|pager|editor|askpass)|sequence\.editor|diff\.external|alias\..*|.*\.(?:clean|smudge|process|driver|textconv|command|cmd|helper|program))$/u;
const DEEPEST = 5;
/** The list of what belongs to a repository; a part of it may stand in a file that several share. */
const INDEX = /^(?:index|sharedindex\.[0-9a-f]+)$/u;
const LONGEST_INDEX = 256 * 1024 * 1024;
/** What a repository without working files has at its top. */
const BARE = ['objects', 'refs'];

/**
 * The whole of `.git` is not written: besides hooks and settings, a file `commondir` in it would name other ones, and the
 * list of a rebase starts programs. An operator who wants commits from inside binds it by hand.
 */
export function protectRepository(spec: SandboxSpec, workspace: Held, guards: Guards): Placeholder | undefined {
  const found = guards.look('.git');
  if (found?.kind === 'link' || found?.kind === 'other')
    throw refused(
      workspace,
      'its .git is a link, which cannot be protected',
      'put a file .git with the line "gitdir: <folder>" in its place',
    );
  if (found?.kind === 'file') {
    obeyRepository({ git: join(workspace.path(), '.git'), files: workspace.path() }, guards);
    return undefined;
  }
  let made: Placeholder | undefined;
  if (found === undefined || !isRepository(found)) {
    refuseBare(workspace);
    made = placeholder(workspace, spec.id);
    if (made !== undefined) keepHead(guards, made);
  }
  try {
    obeyRepository({ git: join(workspace.path(), '.git'), files: workspace.path() }, guards);
  } catch (error) {
    made?.release();
    throw error;
  }
  return made;
}

/** A repository and the folder with its files. */
interface Repository {
  readonly git: string;
  readonly files: string;
}

/** Guards all that git obeys when it is asked about these files. `git` may be a file that names the folder. */
export function obeyRepository({ git, files }: Repository, guards: Guards, depth = 0): void {
  guards.addObeyed(git, 'git');
  const named = /^gitdir: (.+?)\s*$/u.exec(readSmallFile(git) ?? '')?.[1];
  const folder = named === undefined ? git : at(files, named);
  if (named !== undefined) guards.addObeyedFolder(folder, git);
  const shared = readSmallFile(join(folder, 'commondir'))?.trim();
  const settings = [folder, ...(shared === undefined ? [] : [at(folder, shared)])].flatMap((each) =>
    obeySettings({ git: each, files }, guards),
  );
  if (depth > DEEPEST) return;
  const hashBytes = settings.some(({ name, value }) => name === 'extensions.objectformat' && value === 'sha256')
    ? 32
    : 20;
  for (const index of namesIn(folder).filter((name) => INDEX.test(name)))
    for (const path of repositoriesIn(readFile(join(folder, index), LONGEST_INDEX) ?? Buffer.alloc(0), hashBytes))
      obeyWithin(join(files, path), guards, depth + 1);
}

/** A repository within another: git asks it for its state whenever the outer one is asked. Where none is, none is made. */
function obeyWithin(files: string, guards: Guards, depth: number): void {
  const place = guards.within(files);
  if (place === undefined) return;
  if (guards.look(join(place, '.git')) === undefined) guards.addObeyedFolder(files, 'the index of the repository');
  else obeyRepository({ git: join(files, '.git'), files }, guards, depth);
}

/** Whether git takes this for a repository; where it does not, it looks at the folder around it next. */
function isRepository(folder: Held): boolean {
  const names = new Set(readdirSync(folder.below('.')));
  return hasHead(folder) && (names.has('commondir') || BARE.every((name) => names.has(name)));
}

/** Whether git would take what stands at HEAD in a folder for the place where work goes on; an old form of it is a link. */
function hasHead(folder: Held): boolean {
  const path = folder.below('HEAD');
  return isLink(path) || /^(?:ref:|[0-9a-f]{40})/u.test(readSmallFile(path) ?? '');
}

/** A workspace that is itself the inside of a repository has nothing that could be written. */
function refuseBare(workspace: Held): void {
  if (hasHead(workspace))
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

/** Guards what the settings of a repository name, and where its hooks lead; gives the settings. */
function obeySettings({ git, files }: Repository, guards: Guards): GitSetting[] {
  const seen = new Set<string>();
  const all: GitSetting[] = [];
  const read = (file: string, depth: number): void => {
    if (depth > DEEPEST || seen.has(file)) return;
    seen.add(file);
    for (const setting of readGitConfig(readSmallFile(file) ?? '')) {
      const { name, value } = setting;
      all.push(setting);
      if (name === 'core.hookspath') {
        guards.addObeyedFolder(at(files, value), 'core.hooksPath');
        obeyLinks(at(files, value), guards);
      } else if (STARTED.test(name)) obeyProgram(value, files, guards);
      else if (INCLUDES.includes(name)) {
        guards.addObeyed(at(dirname(file), value), name);
        read(at(dirname(file), value), depth + 1);
      }
    }
  };
  for (const name of ['config', 'config.worktree']) {
    obeyLink(join(git, name), guards);
    read(join(git, name), 0);
  }
  obeyLink(join(git, 'hooks'), guards);
  obeyLinks(join(git, 'hooks'), guards);
  return all;
}

/** Scripts of the project in the line of a program. */
function obeyProgram(line: string, files: string, guards: Guards): void {
  for (const word of line.split(/[\s"';&|()!]+/u)) {
    const place = word === '' ? undefined : guards.within(at(files, word));
    if (place !== undefined && guards.look(place)?.kind === 'file') guards.addObeyed(at(files, word), line);
  }
}

/** Hooks are often links to scripts of the project. */
function obeyLinks(folder: string, guards: Guards): void {
  for (const name of namesIn(folder)) obeyLink(join(folder, name), guards);
}

function obeyLink(path: string, guards: Guards): void {
  const real = realOf(path);
  if (real !== undefined && real !== path) guards.addObeyed(real, path);
  // What is not there yet may be made from inside.
  else if (real === undefined && isLink(path)) guards.addObeyedFolder(at(dirname(path), readlinkSync(path)), path);
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

function at(folder: string, path: string): string {
  return path.startsWith('/') ? join(path) : join(folder, path);
}

function isLink(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false; // nothing is there, or something else
  }
}

function refused(workspace: Held, why: string, hint: string): Fault {
  return new Fault('SANDBOX_WORKSPACE_REFUSED', `${workspace.path()} cannot be written by a sandbox: ${why}`, {
    hint: `${hint}, or set sandbox.workspaceAccess to "ro"`,
  });
}
