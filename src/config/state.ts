import { isAbsolute, join, resolve } from 'node:path';

/**
 * The folder for what Pincer keeps between runs: locks, journals and line counts. `PINCER_STATE_DIR`, else `pincer` under
 * `XDG_STATE_HOME`, else under `~/.local/state`. Whoever writes there first makes it, with mode 0700.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const own = env['PINCER_STATE_DIR'];
  if (own) return resolve(own);
  const shared = env['XDG_STATE_HOME'];
  // The XDG specification says that a relative path here is to be ignored.
  if (shared && isAbsolute(shared)) return join(shared, 'pincer');
  return join(homeFolder(env), '.local', 'state', 'pincer');
}

/** The user's home. */
export function homeFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const home = env['HOME'];
  if (home && isAbsolute(home)) return home;
  // Loaded only here: most runs have HOME and need not pay for the module.
  try {
    return process.getBuiltinModule('node:os').homedir();
  } catch {
    return '/'; // a user without a home, as in containers: the first write says that the folder cannot be made
  }
}
