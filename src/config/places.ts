/** Where files of configuration stand. */
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { homeFolder } from './state.ts';

const NAME = 'pincer.jsonc';

/** A file of configuration, and whose word it is. */
export interface ConfigSource {
  readonly layer: 'system' | 'user' | 'project';
  readonly path: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The files that are there: the system's, the user's, and the nearest one upward from the working folder. */
export function configPlaces(folder: string, env: Environment = process.env): readonly ConfigSource[] {
  const system: ConfigSource = { layer: 'system', path: join('/etc/pincer', NAME) };
  const user: ConfigSource = { layer: 'user', path: join(configHome(env), 'pincer', NAME) };
  const own = [system, user].filter(({ path }) => exists(path));
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, NAME);
    // The user's own file stays the user's when somebody works in that folder.
    if (path !== user.path && path !== system.path && exists(path)) return [...own, { layer: 'project', path }];
    if (dirname(at) === at) return own;
  }
}

/** Whether anybody said anything. */
export function hasConfig(folder: string): boolean {
  return configPlaces(folder).length > 0;
}

function configHome(env: Environment): string {
  const own = env['XDG_CONFIG_HOME'];
  return own && isAbsolute(own) ? own : join(homeFolder(env), '.config');
}

/** Also when it cannot be read: then reading it says so, and nothing is guessed. */
function exists(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // nothing there, or in a folder that is closed to this user
  }
}
