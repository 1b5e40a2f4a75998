/** All paths that git obeys because of one repository: for the guards of a sandbox, and for the check after a command. */
import { join } from 'node:path';
import type { GitSetting } from './git-config.ts';
import { type ObeyedPath, pathsObeyed } from './git-paths.ts';
import { settingsOf, settingsReader } from './git-settings.ts';
import { programLines } from '../named-by-settings.ts';
import { LONGEST_NAMING, wordsIn } from '../named.ts';
import type { ObeyedBudget } from '../obeyed-budget.ts';
import type { ObjectFormat } from './object-format.ts';
import { realPlaceOf } from '../reading.ts';
import { pointerTarget, sharedTarget } from './repository.ts';

const TOO_MANY_WORDS = 'its settings have too much text to search for scripts';

export interface NamedRepository {
  /** The folder `.git`, or a file that names it. */
  readonly git: string;
  /** The work tree. */
  readonly files: string;
}

export interface RepositoryPaths {
  /** The real folder of the repository. */
  readonly folder: string;
  readonly objectFormat: ObjectFormat | undefined;
  readonly paths: readonly ObeyedPath[];
  /** Scripts in command lines of settings, whether they exist or not. */
  readonly scripts: readonly string[];
  /** Why there may be more. */
  readonly unreadable?: string;
}

export function repositoryPaths({ git, files }: NamedRepository, budget: ObeyedBudget): RepositoryPaths {
  const named = pointerTarget(git);
  const folder = realPlaceOf(named ?? git);
  const shared = sharedTarget(folder);
  const repository = { git: folder, shared: realPlaceOf(shared ?? folder), top: files };
  const reader = settingsReader(budget.settings);
  const read = settingsOf(repository, reader);
  const obeyed = pathsObeyed(repository, read, reader, budget.user);
  const scripts = scriptsIn([...read.settings, ...budget.user().settings], files, budget);
  const unreadable = read.unreadable ?? obeyed.unreadable ?? (scripts === undefined ? TOO_MANY_WORDS : undefined);
  return {
    folder,
    objectFormat: read.objectFormat,
    paths: [
      ...(named === undefined ? [] : [{ path: named, kind: 'folder' as const, namedBy: git }]),
      ...(shared === undefined ? [] : [{ path: shared, kind: 'folder' as const, namedBy: `${git}/commondir` }]),
      ...obeyed.paths,
    ],
    scripts: scripts ?? [],
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

/** Words of command lines that may be scripts; undefined where there is too much text. */
function scriptsIn(settings: readonly GitSetting[], files: string, budget: ObeyedBudget): string[] | undefined {
  const text = programLines(settings);
  if (text.length > LONGEST_NAMING || !budget.takeText(text.length)) return undefined;
  const words = wordsIn(text);
  if (words === 'too-many' || !budget.takeWords(words.length)) return undefined;
  return words.map((word) => (word.startsWith('/') ? join(word) : join(files, word)));
}
