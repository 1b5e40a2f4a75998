/** The folders of a workspace that git takes hooks from, where its settings name other ones than its own. */
import { basename, dirname, join, resolve } from 'node:path';
import { readGitConfig } from './git-config.ts';
import { readSmallFile } from './reading.ts';

const INCLUDES: ReadonlySet<string> = new Set(['include.path', 'includeif.path']);
/** Hook managers keep the hooks that git starts in a folder below the scripts that those start. */
const BELOW_SCRIPTS = '_';
const DEEPEST = 3;

/** For the folder of a repository, and the folder that its files stand in. */
export function hookFolders(git: string, files: string): string[] {
  const shared = readSmallFile(join(git, 'commondir'))?.trim();
  const folders = [git, ...(shared === undefined ? [] : [resolve(git, shared)])];
  const named = folders.flatMap((each) => [
    ...namedIn(join(each, 'config')),
    ...namedIn(join(each, 'config.worktree')),
  ]);
  return named.map((value) => withScripts(resolve(files, value)));
}

function namedIn(file: string, depth = 0): string[] {
  const text = depth > DEEPEST ? undefined : readSmallFile(file);
  return readGitConfig(text ?? '').flatMap(({ name, value }) => {
    if (name === 'core.hookspath') return [value];
    return INCLUDES.has(name) ? namedIn(resolve(dirname(file), value), depth + 1) : [];
  });
}

function withScripts(folder: string): string {
  return basename(folder) === BELOW_SCRIPTS ? dirname(folder) : folder;
}
