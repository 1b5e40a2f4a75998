import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

/**
 * The folder for locks, journals and line counts: `PINCER_STATE_DIR`, else `pincer` in `XDG_STATE_HOME`, else in
 * `~/.local/state`. The first writer creates it with mode 0700.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const own = env['PINCER_STATE_DIR'];
  if (own) return resolve(own);
  const shared = env['XDG_STATE_HOME'];
  // The XDG specification requires that a relative path is ignored.
  if (shared && isAbsolute(shared)) return join(shared, 'pincer');
  return join(homeFolder(env), '.local', 'state', 'pincer');
}

export function homeFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const home = env['HOME'];
  if (home && isAbsolute(home)) return home;
  // Most runs have HOME and do not need to load this module.
  try {
    return process.getBuiltinModule('node:os').homedir();
  } catch {
    return '/'; // a user without a home, as in containers: the first write reports that it cannot create the folder
  }
}

/** Replaces a leading `~`. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

/** Whether this machine is a node, or was one: the settings then judge commands of its gateway. */
export function isNode(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return existsSync(join(stateFolder(env), 'node.db'));
}
