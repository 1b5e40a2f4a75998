/** The settings of a repository, from all of its files, and the paths that they name. */
import { dirname } from 'node:path';
import { type ConfigReader, readConfigFile, readConfigFileCached } from './config-files.ts';
import type { GitSetting } from './git-config.ts';
import { type Environment, gitConfigFiles, gitVariableSettings, homesOfUser } from '../home.ts';
import { objectFormatOf, type ObjectFormat } from './object-format.ts';
import { BoundedReader, type ReadBounds } from '../reading.ts';
import { type ConfigFiles, configFiles, from, type Repository } from './repository.ts';

/** Of all files of a repository and of its submodules, which are read in one piece. */
const TOGETHER: ReadBounds = { bytes: 1024 * 1024, names: 5_000 };
/** Of all repositories of a workspace, which are read one after the other. */
const IN_WORKSPACE: ReadBounds = { bytes: 16 * 1024 * 1024, names: 100_000 };
const MOST_SETTINGS = 10_000;
const MOST_INCLUDED = 100;
const DEEPEST = 5;
const INCLUDES: ReadonlySet<string> = new Set(['include.path', 'includeif.path']);
/** The home of another user, the folder of git's programs, and what later versions may add. */
const UNKNOWN_FORM = /^(?:~[^/]|%\(|:\()/u;
const IN_HOME = /^~(?:\/|$)/u;

/** Settings, the files that they were read from, and why there may be more. */
export interface RepositorySettings {
  readonly settings: readonly GitSetting[];
  /** Where settings may be, whether the files exist or not. */
  readonly files: readonly string[];
  /** Further files that settings include, whether they exist or not. */
  readonly included: readonly string[];
  /** Why git may read more settings than these. */
  readonly unreadable?: string;
  /** A file or line that git refuses, too; then it runs nothing. */
  readonly broken?: string;
  /** How objects are named; undefined where git may see that in another way. */
  readonly objectFormat: ObjectFormat | undefined;
}

/** A reader for the settings and hooks of one repository and of its submodules, as a part of all of a workspace. */
export function settingsReader(workspace?: BoundedReader): BoundedReader {
  return new BoundedReader(TOGETHER, workspace);
}

/** A reader for the settings and hooks of all repositories of a workspace: each has its own part of it. */
export function workspaceReader(): BoundedReader {
  return new BoundedReader(IN_WORKSPACE);
}

/** Reads all files of settings of a repository, and the files that they include. */
export function settingsOf(
  repository: Pick<Repository, 'git' | 'shared'>,
  reader = settingsReader(),
): RepositorySettings {
  return settingsIn(configFiles(repository, reader), reader);
}

/** Reads the settings of a user and of the machine, and what variables say: they hold for every repository. */
export function settingsOfUser(homes = homesOfUser(), env?: Environment): RepositorySettings {
  return settingsIn(gitConfigFiles(homes, env), settingsReader(), gitVariableSettings(env), readConfigFileCached);
}

/** The settings of the user, read where they are needed, and once. */
export function userSettings(homes = homesOfUser()): () => RepositorySettings {
  let read: RepositorySettings | undefined;
  return () => (read ??= settingsOfUser(homes));
}

function settingsIn(
  { files, ...doubts }: ConfigFiles,
  reader: BoundedReader,
  given: readonly GitSetting[] = [],
  readConfig: ConfigReader = readConfigFile,
): RepositorySettings {
  const settings: GitSetting[] = [];
  const included = new Set<string>();
  let unreadable = doubts.unreadable;
  let broken: string | undefined;
  /** The settings of the first file, without those of the files that it includes. */
  let main: readonly GitSetting[] = [];
  const read = (file: string, depth: number): void => {
    if (unreadable !== undefined) return;
    const config = readConfig(file, reader);
    if (config === 'missing') return;
    if (config === 'unreadable') broken ??= `the settings in ${file} cannot be read`;
    if (config === 'too-long')
      unreadable = `${file} and the settings before it are longer than ${TOGETHER.bytes} bytes`;
    if (config === 'no-text') unreadable = `${file} is not text in UTF-8`;
    if (depth > DEEPEST) unreadable = `settings include each other more than ${DEEPEST} times`;
    if (typeof config === 'string' || depth > DEEPEST) return;
    if (config.brokenLine !== undefined) broken ??= `line ${config.brokenLine} of ${file} is no setting`;
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
  // Git takes no relative path from a variable; from the root it leads nowhere.
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

/** Without a home, nobody knows what `~` is. */
function isUnknownForm(value: string): boolean {
  return UNKNOWN_FORM.test(value) || (IN_HOME.test(value) && homesOfUser().length === 0);
}

/** A path in a setting, from a folder; `~` is each folder that may be the home of the user. */
export function expanded(folder: string, value: string): readonly string[] {
  return IN_HOME.test(value) ? homesOfUser().map((home) => home + value.slice(1)) : [from(folder, value)];
}
