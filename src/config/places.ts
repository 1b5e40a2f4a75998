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
  return possiblePlaces(folder, env).flatMap(({ layer, paths }) => {
    const path = paths.find(exists);
    return path === undefined ? [] : [{ layer, path }];
  });
}

/** One file for each layer, whether it is there or not: for the project the nearest upward, else one in the folder itself. */
export function layerFiles(
  folder: string,
  env: Environment = process.env,
): readonly (ConfigSource & { readonly exists: boolean })[] {
  return possiblePlaces(folder, env).flatMap(({ layer, paths }) => {
    const path = paths.find(exists);
    const first = path ?? paths[0];
    return first === undefined ? [] : [{ layer, path: first, exists: path !== undefined }];
  });
}

/** Every path that a file of configuration for this folder may have, by layer, the nearest first. */
export function possiblePlaces(
  folder: string,
  env: Environment = process.env,
): readonly { readonly layer: ConfigSource['layer']; readonly paths: readonly string[] }[] {
  const system = join('/etc/pincer', NAME);
  const user = join(userConfigFolder(env), NAME);
  const upward: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, NAME);
    // The user's own file stays the user's when somebody works in that folder.
    if (path !== user && path !== system) upward.push(path);
    if (dirname(at) === at) break;
  }
  return [
    { layer: 'system', paths: [system] },
    { layer: 'user', paths: [user] },
    { layer: 'project', paths: upward },
  ];
}

/** What a variable that is a setting begins with: the parts of the file. Here as a pattern, so that asking costs nothing. */
const SETTING = /^PINCER_(?:TOOLS?|EXEC|AGENTS|APPROVALS|COMMANDS|MCP|SERVE|PLUGINS|SANDBOX)_/u;

/** Whether a variable is a setting, or looks like one. */
export function isSettingVariable(name: string): boolean {
  return SETTING.test(name);
}

/** Whether anybody said anything, in a file or in the environment. */
export function hasConfig(folder: string, env: Environment = process.env): boolean {
  return Object.keys(env).some(isSettingVariable) || configPlaces(folder, env).length > 0;
}

/** The folder of the user's own file. */
export function userConfigFolder(env: Environment = process.env): string {
  return join(configHome(env), 'pincer');
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
