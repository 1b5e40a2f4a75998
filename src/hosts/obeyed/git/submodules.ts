/** Repositories that git enters from another one, even at a plain `git status`. */
import { join } from 'node:path';
import { gitlinksIn } from './git-index.ts';
import type { ObjectFormat } from './object-format.ts';
import { BoundedReader, entryAt, whyUnlisted } from '../reading.ts';
import { isRepositoryByNames, type Repository, type Unclear } from './repository.ts';

/** For a repository and its submodules: they are read without a pause, at about 200 MiB per second. */
const MOST_INDEX_BYTES = 16 * 1024 * 1024;
const MOST_FOLDERS = 1000;

export function indexReader(): BoundedReader {
  return new BoundedReader({ bytes: MOST_INDEX_BYTES, names: 0 });
}

/** The paths of submodules, relative to the top. */
export function gitlinksOf(
  git: string,
  format: ObjectFormat | undefined,
  reader = indexReader(),
): readonly string[] | Unclear {
  const file = join(git, 'index');
  const bytes = reader.read(file);
  if (bytes === 'missing') return [];
  if (bytes === 'too-long')
    return { unclear: `${file} and the indexes before it have more than ${MOST_INDEX_BYTES} bytes` };
  if (format === undefined) return { unclear: `the settings of ${git} do not determine the object format` };
  const paths = Buffer.isBuffer(bytes) ? gitlinksIn(bytes, format) : undefined;
  return paths === undefined ? { unclear: `${file} is not an index as git usually writes it` } : [...new Set(paths)];
}

/** The folders of submodule repositories, checked out or not: a fetch enters them. */
export function moduleFolders(
  { git, shared }: Repository,
  reader: Pick<BoundedReader, 'list'>,
): readonly string[] | Unclear {
  const found: string[] = [];
  const queue = [...new Set([join(git, 'modules'), join(shared, 'modules')])];
  for (let count = 0; queue.length > 0; count++) {
    const folder = queue.pop()!;
    const names = reader.list(folder);
    if (names === 'missing') continue;
    if (names === 'unreadable' || names === 'too-many') return { unclear: whyUnlisted(folder, names) };
    if (count >= MOST_FOLDERS) return { unclear: `${shared} has more than ${MOST_FOLDERS} submodule folders` };
    for (const name of names) {
      const below = join(folder, name);
      const entry = entryAt(below);
      if (entry === 'unreadable') return { unclear: `${below} cannot be read` };
      if (entry !== 'folder') continue;
      // The modules of nested submodules are below their repository and are found from there.
      if (isRepositoryByNames((each) => entryAt(join(below, each)) !== 'missing')) found.push(below);
      else queue.push(below);
    }
  }
  return found;
}
