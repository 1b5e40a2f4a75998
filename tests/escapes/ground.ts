/**
 * Where a case takes place: a workspace, and round about it what an escape would reach.
 *
 *   top/ws        the workspace: in.txt and d/f.txt hold INSIDE
 *   top/out       outside: secret.txt, f.txt, dir/deep.txt hold the secret
 *   top/ws-evil   a sibling whose name starts like the workspace's
 *   top/home      the home folder, with a secret of its own; state is kept in it
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What may never be seen inside. */
export const SECRET = 'KEEP-OUT-4d1f';
/** Stands in the environment of the program, where only a read of the process itself finds it. */
export const CANARY = 'CANARY-in-the-environment-9b2c';

export interface Ground {
  readonly top: string;
  readonly ws: string;
  readonly out: string;
  readonly home: string;
  readonly state: string;
  remove(): void;
}

export function makeGround(): Ground {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-escape-')));
  const ground = {
    top,
    ws: join(top, 'ws'),
    out: join(top, 'out'),
    home: join(top, 'home'),
    state: join(top, 'home', 'state'),
    remove: () => clear(top),
  };
  const files = ['out/secret.txt', 'out/f.txt', 'out/dir/deep.txt', 'ws-evil/secret.txt', 'home/s.txt'];
  for (const name of files) put(join(top, name), `${SECRET}\n`);
  for (const name of ['in.txt', 'd/f.txt']) put(join(ground.ws, name), 'INSIDE\n');
  return ground;
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Takes away mounts and permissions first: a case may have planted both. */
function clear(top: string): void {
  const script = 'umount -R "$1"/ws/* 2>/dev/null; chmod -R u+rwX "$1" 2>/dev/null; rm -rf --one-file-system "$1"';
  spawnSync('sh', ['-c', script, 'sh', top], { stdio: 'ignore' });
  rmSync(top, { recursive: true, force: true });
}

/** Puts a ground's own paths in the place of `{WS}`, `{OUT}`, `{HOME}` and `{TOP}`, at any depth. */
export function fill<T>(value: T, ground: Ground): T {
  const text = JSON.stringify(value);
  const filled = text
    .replaceAll('{WS}', ground.ws)
    .replaceAll('{OUT}', ground.out)
    .replaceAll('{HOME}', ground.home)
    .replaceAll('{TOP}', ground.top);
  return JSON.parse(filled) as T;
}

/** This machine or this user cannot make what a case needs. */
export class CannotPlant extends Error {}

/** One thing that stands in the way before the call; paths start at the workspace. */
export type Plant = (ground: Ground) => void;

export const link =
  (name: string, target: string): Plant =>
  (ground) => {
    mkdirSync(dirname(join(ground.ws, name)), { recursive: true });
    symlinkSync(fill(target, ground), join(ground.ws, name));
  };

export const hardLink =
  (name: string, target: string): Plant =>
  (ground) =>
    linkSync(fill(target, ground), join(ground.ws, name));

export const file =
  (name: string, content: string | Uint8Array = 'INSIDE\n', mode?: number): Plant =>
  (ground) => {
    put(join(ground.ws, name), content);
    if (mode !== undefined) chmodSync(join(ground.ws, name), mode);
  };

export const folder =
  (name: string): Plant =>
  (ground) =>
    void mkdirSync(join(ground.ws, name), { recursive: true });

/** Lines for a shell in the workspace, with WS, OUT, HOME and TOP set; a failing line stops the case. */
export const shell =
  (...lines: readonly string[]): Plant =>
  (ground) => {
    const env = { PATH: process.env['PATH'], WS: ground.ws, OUT: ground.out, HOME: ground.home, TOP: ground.top };
    const ran = spawnSync('sh', ['-ec', lines.join('\n')], { cwd: ground.ws, env, encoding: 'utf8' });
    if (ran.status !== 0) throw new CannotPlant(ran.stderr);
  };
