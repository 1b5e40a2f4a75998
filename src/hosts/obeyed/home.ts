/** What programs of this user take for the home, and where the environment sends git for settings and programs. */
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type GitSetting, settingOf } from './git/git-config.ts';
import type { ConfigFiles } from './git/repository.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** HOME, which git and shells go by, and the home in the system's list of users; none where neither names one. */
export function homesOfUser(env: Environment = process.env): readonly string[] {
  const { HOME = '' } = env;
  return [...new Set([HOME, listedHome() ?? ''])].filter((home) => isAbsolute(home));
}

/** The home that git goes by: HOME, or else the one in the system's list of users. The list is read only where it is needed. */
export function homeOfGit({ HOME = '' }: Environment = process.env): readonly string[] {
  return [isAbsolute(HOME) ? HOME : (listedHome() ?? '')].filter((home) => isAbsolute(home));
}

/** The folders with settings of this user's programs: the one that a variable names, and those in the homes. */
export function configFolders(homes: readonly string[], env: Environment = process.env): readonly string[] {
  return [...configFolderNamed(env), ...homes.map((home) => join(home, '.config'))];
}

/** The folder that a variable names for the settings of programs; none where it names none that they take. */
export function configFolderNamed({ XDG_CONFIG_HOME: named = '' }: Environment = process.env): readonly string[] {
  return isAbsolute(named) ? [named] : [];
}

/** Where git looks for settings of the machine, and of a user with one of these homes. What takes the place of what is not asked. */
export function gitConfigFiles(homes: readonly string[], env: Environment = process.env): ConfigFiles {
  const named = [env['GIT_CONFIG_SYSTEM'], env['GIT_CONFIG_GLOBAL']].filter(
    (file) => file !== undefined && file !== '',
  );
  const relative = named.find((file) => !isAbsolute(file!));
  return {
    files: [
      ...MACHINE_FILES,
      ...configFolders(homes, env).map((folder) => join(folder, 'git/config')),
      ...homes.map((home) => join(home, '.gitconfig')),
      ...named.filter((file) => isAbsolute(file!)).map((file) => file!),
    ],
    ...(relative === undefined
      ? {}
      : { unreadable: `a variable names the relative path ${relative} for settings of git` }),
  };
}

/** Git reads one of them; which one was decided when it was built. */
const MACHINE_FILES = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'];

/** Programs that git starts by variables which other programs read, too. */
const OF_GIT = /^(?:GIT_\w+|PAGER|EDITOR|VISUAL|SSH_ASKPASS)$/u;
const COUNTED = /^GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+)$/u;
/** The section of what a variable of git says, as if it were a setting. */
const FROM_VARIABLE = 'environment';
/** More than this is not counted; git itself would take them. */
const MOST_COUNTED = 1_000;

/** The variables by which git finds settings and programs, for a process that must see what this one sees. */
export function gitVariables(env: Environment = process.env): Readonly<Record<string, string>> {
  const isKept = (name: string): boolean => OF_GIT.test(name) || name === 'XDG_CONFIG_HOME';
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && isKept(name) ? [[name, value]] : [])),
  );
}

/** What variables of git say, as settings: those that they set, and each other one under its own name. */
export function gitVariableSettings(env: Environment = process.env): readonly GitSetting[] {
  // Names first: Node reads each value of process.env separately, which costs more.
  const names = Object.keys(env).filter((name) => OF_GIT.test(name) && !COUNTED.test(name));
  const others = names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [{ name: `${FROM_VARIABLE}.${name.toLowerCase()}`, value }];
  });
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  if (!(count <= MOST_COUNTED)) return [...others, { name: `${FROM_VARIABLE}.git_config_count`, value: '' }];
  const counted = Array.from({ length: count }, (_, i) =>
    settingOf(env[`GIT_CONFIG_KEY_${i}`] ?? '', env[`GIT_CONFIG_VALUE_${i}`] ?? ''),
  );
  return [...others, ...counted];
}

function listedHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined; // a user whom no list knows, as in containers
  }
}
