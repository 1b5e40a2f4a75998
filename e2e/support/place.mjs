// @ts-check
/** A place of its own for a run: home, state, workspace and PATH, so that nothing of this machine's user is read or changed. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './child.mjs';

/** The folder of the project. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The built program. */
export const PROGRAM = join(ROOT, 'dist', 'pincer.cjs');

/** A Node that is new enough for the programs of others. */
export const NEWER_NODE = [
  join(ROOT, 'e2e', 'node_modules', 'node24', 'bin', 'node'),
  join(ROOT, 'e2e', 'node_modules', 'node24-arm64', 'bin', 'node'),
].find((file) => existsSync(file));

/**
 * @typedef {{
 *   folder: string, home: string, workspace: string, env: Record<string, string>,
 *   pincer: (args: readonly string[], options?: import('./child.mjs').ChildOptions) => Promise<import('./child.mjs').Ended>,
 *   remove: () => Promise<void>,
 * }} Place
 */

/** @param {string} name @returns {Place} */
function makePlace(name) {
  const folder = mkdtempSync(join(tmpdir(), `pincer-e2e-${name}-`));
  const at = (/** @type {string[]} */ ...parts) => {
    const made = join(folder, ...parts);
    mkdirSync(made, { recursive: true, mode: 0o700 });
    return made;
  };
  const home = at('home');
  const workspace = at('workspace');
  const bin = at('bin');
  symlinkSync(PROGRAM, join(bin, 'pincer'));
  symlinkSync(process.execPath, join(bin, 'node'));
  const env = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    // The usual places, and no PINCER_STATE_DIR: some agents start their servers without the variables of others.
    XDG_CONFIG_HOME: at('home', '.config'),
    XDG_DATA_HOME: at('home', '.local', 'share'),
    XDG_STATE_HOME: at('home', '.local', 'state'),
    XDG_CACHE_HOME: at('home', '.cache'),
    XDG_RUNTIME_DIR: at('run'),
  };
  /** @type {Place['pincer']} */
  const pincer = (args, options = {}) =>
    runChild(process.execPath, [PROGRAM, ...args], { cwd: workspace, env, ...options });
  return {
    folder,
    home,
    workspace,
    env,
    pincer,
    async remove() {
      await pincer(['daemon', 'stop', '--force']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Works in a place of its own, which is gone afterwards.
 * @template T @param {string} name @param {(place: Place) => Promise<T>} work @returns {Promise<T>}
 */
export async function inPlace(name, work) {
  const place = makePlace(name);
  try {
    return await work(place);
  } finally {
    await place.remove();
  }
}
