/** What programs of this user take for the home. */
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** HOME, which git and shells go by, and the home in the system's list of users; none where neither names one. */
export function homesOfUser(env: Environment = process.env): readonly string[] {
  const { HOME = '' } = env;
  return [...new Set([HOME, listedHome() ?? ''])].filter((home) => isAbsolute(home));
}

/** Where git looks for settings of a user with one of these homes. */
export function gitConfigFiles(homes: readonly string[], env: Environment = process.env): readonly string[] {
  const { XDG_CONFIG_HOME: shared = '' } = env;
  const folders = [...(isAbsolute(shared) ? [shared] : []), ...homes.map((home) => join(home, '.config'))];
  return [...folders.map((folder) => join(folder, 'git/config')), ...homes.map((home) => join(home, '.gitconfig'))];
}

function listedHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined; // a user whom no list knows, as in containers
  }
}
