/** Repositories that git enters from another one, when it is asked for no more than the state of the files. */
import { join } from 'node:path';
import { repositoriesIn } from './git-index.ts';
import type { ObjectFormat } from './object-format.ts';
import { BoundedReader, entryAt, whyUnlisted } from '../reading.ts';
import { isRepositoryByNames, type Repository, type Unclear } from './repository.ts';

/** Of a repository and of its submodules: they are read in one piece, at about 200 MiB a second. */
const MOST_INDEX_BYTES = 16 * 1024 * 1024;
const MOST_FOLDERS = 1000;

/** A reader for the indexes of one repository and of its submodules. */
export function indexReader(): BoundedReader {
  return new BoundedReader({ bytes: MOST_INDEX_BYTES, names: 0 });
}

/** The paths below the top at which a repository has another one. */
export function gitlinksOf(
  git: string,
  format: ObjectFormat | undefined,
  reader = indexReader(),
): readonly string[] | Unclear {
  const file = join(git, 'index');
  const bytes = reader.read(file);
  if (bytes === 'missing') return [];
  if (bytes === 'too-long') return { unclear: `the indexes up to ${file} have more than ${MOST_INDEX_BYTES} bytes` };
  if (format === undefined) return { unclear: `the settings of ${git} leave open which object format git uses` };
  const paths = Buffer.isBuffer(bytes) ? repositoriesIn(bytes, format) : undefined;
  return paths === undefined
    ? { unclear: `${file} is not an index in the form that git usually writes` }
    : [...new Set(paths)];
}

/** The folders in which git keeps the repositories of submodules, checked out or not: a fetch enters them. */
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
    if (count >= MOST_FOLDERS) return { unclear: `${shared} has more than ${MOST_FOLDERS} folders for submodules` };
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
