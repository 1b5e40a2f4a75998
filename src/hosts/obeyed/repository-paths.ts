/** All that git obeys by the word of one repository, wherever it is: for the guards of a sandbox, and for the watch behind them. */
import { join } from 'node:path';
import { type ObeyedPath, pathsObeyed } from './git-paths.ts';
import { settingsOf } from './git-settings.ts';
import { wordsIn } from './named.ts';
import type { ObjectFormat } from './object-format.ts';
import { realPlaceOf } from './reading.ts';
import { pointerTarget, sharedTarget } from './repository.ts';

/** Settings whose programs git starts, some of them when it is only asked for the state of the files. */
const STARTED =
  /^(?:core\.(?:fsmonitor|sshcommand|pager|editor|askpass)|sequence\.editor|diff\.external|alias\..*|.*\.(?:clean|smudge|process|driver|textconv|command|cmd|helper|program))$/u;

/** A repository by its name, which may be a file that names the folder, and the folder with its files. */
export interface NamedRepository {
  readonly git: string;
  readonly files: string;
}

export interface RepositoryPaths {
  /** The real folder of the repository. */
  readonly folder: string;
  readonly objectFormat: ObjectFormat | undefined;
  readonly paths: readonly ObeyedPath[];
  /** Scripts in the lines of programs, whether they exist or not. */
  readonly scripts: readonly ObeyedPath[];
  /** Why there may be more. */
  readonly unreadable?: string;
}

/** Reads the settings of a repository, and gives all paths that git obeys because of them. */
export function repositoryPaths({ git, files }: NamedRepository): RepositoryPaths {
  const named = pointerTarget(git);
  const folder = realPlaceOf(named ?? git);
  const shared = sharedTarget(folder);
  const repository = { git: folder, shared: realPlaceOf(shared ?? folder), top: files };
  const read = settingsOf(repository);
  const started = read.settings.filter(({ name }) => STARTED.test(name));
  return {
    folder,
    objectFormat: read.objectFormat,
    paths: [
      ...(named === undefined ? [] : [{ path: named, kind: 'folder' as const, namedBy: git }]),
      ...(shared === undefined ? [] : [{ path: shared, kind: 'folder' as const, namedBy: `${git}/commondir` }]),
      ...pathsObeyed(repository, read),
    ],
    scripts: started.flatMap(({ value }) =>
      wordsIn(value).map((word) => ({
        path: word.startsWith('/') ? join(word) : join(files, word),
        kind: 'file' as const,
        namedBy: value,
      })),
    ),
    ...(read.unreadable === undefined ? {} : { unreadable: read.unreadable }),
  };
}
