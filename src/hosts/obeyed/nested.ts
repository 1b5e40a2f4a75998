/** Repositories that git enters from another one, when it is asked for no more than the state of the files. */
import { join } from 'node:path';
import type { GitSetting } from './git-config.ts';
import { repositoriesIn } from './git-index.ts';
import { entryAt, listFolder, readWholeFile } from './reading.ts';
import { isRepositoryByNames, type Repository, type Unclear } from './repository.ts';

/** The list of what belongs to a repository; a part of it may be in a file that several share. */
const INDEX = /^(?:index|sharedindex\.[0-9a-f]+)$/u;
const LONGEST_INDEX = 256 * 1024 * 1024;
const MOST_FOLDERS = 1000;

/** The paths below the top at which a repository has another one. */
export function gitlinksOf(git: string, settings: readonly GitSetting[]): readonly string[] | Unclear {
  const format = settings.findLast(({ name }) => name === 'extensions.objectformat')?.value;
  const names = listFolder(git);
  if (names === 'missing') return [];
  if (names === 'unreadable') return { unclear: `${git} cannot be listed` };
  const found: string[] = [];
  for (const name of names.filter((each) => INDEX.test(each))) {
    const bytes = readWholeFile(join(git, name), LONGEST_INDEX);
    if (bytes === 'missing') continue;
    const paths = Buffer.isBuffer(bytes) ? repositoriesIn(bytes, format === 'sha256' ? 32 : 20) : undefined;
    if (paths === undefined) return { unclear: `the list of files in ${join(git, name)} cannot be read` };
    found.push(...paths);
  }
  return [...new Set(found)];
}

/** The folders in which git keeps the repositories of submodules, checked out or not: a fetch enters them. */
export function moduleFolders({ git, shared }: Repository): readonly string[] | Unclear {
  const found: string[] = [];
  const queue = [...new Set([join(git, 'modules'), join(shared, 'modules')])];
  for (let count = 0; queue.length > 0; count++) {
    const folder = queue.pop()!;
    const names = listFolder(folder);
    if (names === 'missing') continue;
    if (names === 'unreadable' || count >= MOST_FOLDERS) return { unclear: `${folder} cannot be searched` };
    for (const name of names) {
      const below = join(folder, name);
      const entry = entryAt(below);
      if (entry === 'unreadable') return { unclear: `${below} cannot be read` };
      if (entry !== 'folder') continue;
      // A repository has the modules of its own submodules below itself, and they are found from it.
      if (isRepositoryByNames((each) => entryAt(join(below, each)) !== 'missing')) found.push(below);
      else queue.push(below);
    }
  }
  return found;
}
