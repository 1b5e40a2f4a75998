/** The settings of a repository from all of its files, and the files that they include. */
import { dirname } from 'node:path';
import { cachedOutsideOf, type ConfigReader, readConfigFile } from './config-files.ts';
import type { GitSetting } from './git-config.ts';
import { type Environment, gitConfigFiles, gitVariableSettings, homesOfUser } from '../home.ts';
import { objectFormatOf, type ObjectFormat } from './object-format.ts';
import { BoundedReader, type ReadBounds } from '../reading.ts';
import { type ConfigFiles, configFiles, pathFrom, type Repository } from './repository.ts';

/** For the files of one repository and its submodules, which are read without a pause. */
const PER_REPOSITORY: ReadBounds = { bytes: 1024 * 1024, names: 5_000 };
/** For all repositories of a workspace together. */
const PER_WORKSPACE: ReadBounds = { bytes: 16 * 1024 * 1024, names: 100_000 };
const MOST_SETTINGS = 10_000;
const MOST_INCLUDED = 100;
const DEEPEST = 5;
const INCLUDES: ReadonlySet<string> = new Set(['include.path', 'includeif.path']);
/** The home of another user, git's install prefix, and forms that later versions may add. */
const UNKNOWN_FORM = /^(?:~[^/]|%\(|:\()/u;
const IN_HOME = /^~(?:\/|$)/u;

export interface RepositorySettings {
  readonly settings: readonly GitSetting[];
  /** Config files, whether they exist or not. */
  readonly files: readonly string[];
  /** Included files, whether they exist or not. */
  readonly included: readonly string[];
  /** Why git may read more settings than these. */
  readonly unreadable?: string;
  /** A file or line that git refuses; then git runs nothing. */
  readonly broken?: string;
  /** Undefined where git may use another format. */
  readonly objectFormat: ObjectFormat | undefined;
}

/** For the settings and hooks of one repository and its submodules, counted against the reader of the workspace. */
export function settingsReader(workspace?: BoundedReader): BoundedReader {
  return new BoundedReader(PER_REPOSITORY, workspace);
}

/** For the settings and hooks of all repositories of a workspace. */
export function workspaceReader(): BoundedReader {
  return new BoundedReader(PER_WORKSPACE);
}

export function settingsOf(
  repository: Pick<Repository, 'git' | 'shared'>,
  reader = settingsReader(),
): RepositorySettings {
  return settingsIn(configFiles(repository, reader), reader);
}

/**
 * The settings of the user, the machine and the environment, which apply to every repository. With a workspace, the user's own
 * files outside of it come from a cache.
 */
export function settingsOfUser(homes = homesOfUser(), env?: Environment, workspace?: string): RepositorySettings {
  const readOwn = workspace === undefined ? readConfigFile : cachedOutsideOf(workspace);
  return settingsIn(gitConfigFiles(homes, env), settingsReader(), gitVariableSettings(env), readOwn);
}

/** Reads the settings of the user at the first call, and once. */
export function userSettings(homes = homesOfUser()): () => RepositorySettings {
  let read: RepositorySettings | undefined;
  return () => (read ??= settingsOfUser(homes));
}

function settingsIn(
  { files, ...doubts }: ConfigFiles,
  reader: BoundedReader,
  given: readonly GitSetting[] = [],
  readOwn: ConfigReader = readConfigFile,
): RepositorySettings {
  const settings: GitSetting[] = [];
  const included = new Set<string>();
  let unreadable = doubts.unreadable;
  let broken: string | undefined;
  /** The settings of the first file, without those of the files that it includes. */
  let main: readonly GitSetting[] = [];
  const read = (file: string, depth: number): void => {
    if (unreadable !== undefined) return;
    const config = depth === 0 ? readOwn(file, reader) : readConfigFile(file, reader);
    if (config === 'missing') return;
    if (config === 'unreadable') broken ??= `the settings in ${file} cannot be read`;
    if (config === 'too-long')
      unreadable = `${file} and the settings before it are longer than ${PER_REPOSITORY.bytes} bytes`;
    if (config === 'no-text') unreadable = `${file} is not UTF-8 text`;
    if (depth > DEEPEST) unreadable = `settings include each other more than ${DEEPEST} times`;
    if (typeof config === 'string' || depth > DEEPEST) return;
    if (config.brokenLine !== undefined) broken ??= `line ${config.brokenLine} of ${file} is not a setting`;
    if (depth === 0 && file === files[0]) main = config.settings;
    if (settings.length + config.settings.length > MOST_SETTINGS) {
      unreadable = `${file} and the files before it have more than ${MOST_SETTINGS} settings`;
      return;
    }
    takeAll(config.settings, file, depth);
  };
  const takeAll = (found: readonly GitSetting[], file: string, depth: number): void => {
    for (const setting of found) {
      settings.push(setting);
      const isInclude = INCLUDES.has(setting.name);
      if ((isInclude || setting.name === 'core.hookspath') && isUnknownForm(setting.value))
        unreadable ??= `the path ${setting.value} in ${file} has a form that only git can resolve`;
      if (!isInclude) continue;
      for (const next of expanded(dirname(file), setting.value)) {
        if (included.has(next)) continue;
        if (included.size >= MOST_INCLUDED) unreadable ??= `the settings include more than ${MOST_INCLUDED} files`;
        if (unreadable !== undefined) return;
        included.add(next);
        read(next, depth + 1);
      }
    }
  };
  for (const file of files) read(file, 0);
  // Git accepts no relative path in a variable; resolved from the root it does not exist.
  takeAll(given, '/', 0);
  return {
    settings,
    files,
    included: [...included],
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(broken === undefined ? {} : { broken }),
    objectFormat: objectFormatOf(main, settings),
  };
}

/** Without a home, `~` is unknown. */
function isUnknownForm(value: string): boolean {
  return UNKNOWN_FORM.test(value) || (IN_HOME.test(value) && homesOfUser().length === 0);
}

/** A path in a setting, relative to a folder; `~` is each folder that may be the home of the user. */
export function expanded(folder: string, value: string): readonly string[] {
  return IN_HOME.test(value) ? homesOfUser().map((home) => home + value.slice(1)) : [pathFrom(folder, value)];
}
