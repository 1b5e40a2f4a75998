/** The paths of the configuration files. */
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { homeFolder } from './state.ts';

const NAME = 'pincer.jsonc';

export interface ConfigSource {
  readonly layer: 'system' | 'user' | 'project';
  readonly path: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The files that exist: the system's, the user's, and the nearest one upward from the folder. */
export function configFiles(folder: string, env: Environment = process.env): readonly ConfigSource[] {
  return possibleConfigFiles(folder, env).flatMap(({ layer, paths }) => {
    const path = paths.find(exists);
    return path === undefined ? [] : [{ layer, path }];
  });
}

/** One file for each layer, existing or not: for the project the nearest upward, else one in the folder itself. */
export function layerFiles(
  folder: string,
  env: Environment = process.env,
): readonly (ConfigSource & { readonly exists: boolean })[] {
  return possibleConfigFiles(folder, env).flatMap(({ layer, paths }) => {
    const path = paths.find(exists);
    const first = path ?? paths[0];
    return first === undefined ? [] : [{ layer, path: first, exists: path !== undefined }];
  });
}

/** All paths where a configuration file for this folder can be, by layer, the nearest first. */
export function possibleConfigFiles(
  folder: string,
  env: Environment = process.env,
): readonly { readonly layer: ConfigSource['layer']; readonly paths: readonly string[] }[] {
  const system = join('/etc/pincer', NAME);
  const user = join(userConfigFolder(env), NAME);
  const upward: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, NAME);
    // The user's file is never a project's file, even when the folder is the user's configuration folder.
    if (path !== user && path !== system) upward.push(path);
    if (dirname(at) === at) break;
  }
  return [
    { layer: 'system', paths: [system] },
    { layer: 'user', paths: [user] },
    { layer: 'project', paths: upward },
  ];
}

/** The top-level members of the schema, as a pattern: loading the schema would slow down every start. */
const SETTING = /^PINCER_(?:TOOLS?|EXEC|AGENTS|APPROVALS|COMMANDS|MCP|SERVE|PLUGINS|SANDBOX|GATEWAY|NODES?)_/u;

/** Whether a variable is a setting or a misspelled one. */
export function isSettingVariable(name: string): boolean {
  return SETTING.test(name);
}

/** Whether there is any configuration, in a file or in the environment. */
export function hasConfig(folder: string, env: Environment = process.env): boolean {
  return Object.keys(env).some(isSettingVariable) || configFiles(folder, env).length > 0;
}

export function userConfigFolder(env: Environment = process.env): string {
  return join(configHome(env), 'pincer');
}

function configHome(env: Environment): string {
  const own = env['XDG_CONFIG_HOME'];
  return own && isAbsolute(own) ? own : join(homeFolder(env), '.config');
}

/** An unreadable file exists: reading it then fails with a fault. */
function exists(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // missing, or in a folder that this user cannot search
  }
}
