/** The home folders of this user, and the settings and programs that environment variables give to git. */
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type GitSetting, settingOf } from './git/git-config.ts';
import type { ConfigFiles } from './git/repository.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** HOME, which git and shells use, and the home in the user database; empty where neither is set. */
export function homesOfUser(env: Environment = process.env): readonly string[] {
  const { HOME = '' } = env;
  return [...new Set([HOME, listedHome() ?? ''])].filter((home) => isAbsolute(home));
}

/** The home that git and shells use: HOME, or else the one in the user database, which is read only where it is needed. */
export function homeOfGit({ HOME = '' }: Environment = process.env): readonly string[] {
  return [isAbsolute(HOME) ? HOME : (listedHome() ?? '')].filter((home) => isAbsolute(home));
}

/** `XDG_CONFIG_HOME`, and `.config` in the homes. */
export function configFolders(homes: readonly string[], env: Environment = process.env): readonly string[] {
  return [...configFolderNamed(env), ...homes.map((home) => join(home, '.config'))];
}

/** `XDG_CONFIG_HOME`; empty where it is unset or relative, which programs ignore. */
export function configFolderNamed({ XDG_CONFIG_HOME: named = '' }: Environment = process.env): readonly string[] {
  return isAbsolute(named) ? [named] : [];
}

/** All files where git may look for system and user settings; which of them replace others is not evaluated. */
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
      : { unreadable: `GIT_CONFIG_SYSTEM or GIT_CONFIG_GLOBAL is the relative path ${relative}` }),
  };
}

/** Git reads one of them; the choice was made when git was built. */
const MACHINE_FILES = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'];

/** Variables that git reads, some of them shared with other programs. */
const OF_GIT = /^(?:GIT_\w+|PAGER|EDITOR|VISUAL|SSH_ASKPASS)$/u;
const COUNTED = /^GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+)$/u;
/** The section name for variables that are treated as settings. */
const FROM_VARIABLE = 'environment';
/** Git itself has no limit. */
const MOST_COUNTED = 1_000;

/** The variables that give settings and programs to git, for a process that must see the same ones. */
export function gitVariables(env: Environment = process.env): Readonly<Record<string, string>> {
  const isKept = (name: string): boolean => OF_GIT.test(name) || name === 'XDG_CONFIG_HOME';
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && isKept(name) ? [[name, value]] : [])),
  );
}

/** The variables of git as settings: those of GIT_CONFIG_COUNT, and each other variable under its own name. */
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
    return undefined; // the user is not in the database, as in containers
  }
}
