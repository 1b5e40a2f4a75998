/** The paths of the configuration files. */
import { type BigIntStats, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { homeFolder } from './state.ts';

const NAME = 'pincer.jsonc';

export interface ConfigSource {
  readonly layer: 'system' | 'user' | 'project';
  readonly path: string;
}

/** A file to change. */
export interface NamedFile {
  readonly layer: ConfigSource['layer'] | 'file';
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

type PossibleFiles = readonly { readonly layer: ConfigSource['layer']; readonly paths: readonly string[] }[];

/** A daemon asks for every command. */
const possibleFiles = new Map<string, PossibleFiles>();
const MOST_FOLDERS = 64;

/** All paths where a configuration file for this folder can be, by layer, the nearest first. */
export function possibleConfigFiles(folder: string, env: Environment = process.env): PossibleFiles {
  const userFolder = userConfigFolder(env);
  const key = `${userFolder}\0${folder}`;
  const known = possibleFiles.get(key) ?? findPossibleFiles(folder, userFolder);
  if (possibleFiles.size >= MOST_FOLDERS) possibleFiles.clear();
  possibleFiles.set(key, known);
  return known;
}

function findPossibleFiles(folder: string, userFolder: string): PossibleFiles {
  const system = join('/etc/pincer', NAME);
  const user = join(userFolder, NAME);
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

/** A file that changed so recently may change again with the same times. */
const RACY_MS = 100;

/** Names the content of all files that the configuration of this folder depends on; undefined while that may change unnoticed. */
export function stampOfFiles(folder: string, env: Environment = process.env): string | undefined {
  const settledAt = BigInt(Date.now() - RACY_MS) * 1_000_000n;
  let stamp = '';
  for (const { paths } of possibleConfigFiles(folder, env))
    for (const path of paths) {
      stamp += path;
      const stats = statsOf(path);
      if (stats === undefined) continue;
      const { dev, ino, size, mode, mtimeNs, ctimeNs } = stats;
      if (ctimeNs > settledAt) return undefined;
      stamp += `\0${dev}:${ino}:${size}:${mode}:${mtimeNs}:${ctimeNs}\0`;
    }
  return stamp;
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // in a folder that this user cannot search
  }
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
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // in a folder that this user cannot search
  }
}
