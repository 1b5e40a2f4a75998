/** `pincer doctor` as npm installs the program: the command on PATH is a link. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemonPlace } from '../../../support/daemon.ts';
import { makeFolder } from '../../../support/folder.ts';

const root = resolve(import.meta.dirname, '../../../..');
const NPM_MS = 240_000;

function npm(folder: string, ...args: readonly string[]) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts', '--loglevel=error'];
  return spawnSync('npm', [...args, ...quiet], { cwd: folder, encoding: 'utf8', timeout: NPM_MS });
}

/** What the doctor of an install says about the optional packages. */
function packagesSeenBy(program: string): readonly unknown[] {
  const { env } = daemonPlace();
  return packagesIn(spawnSync(program, ['doctor', '--json'], { env, encoding: 'utf8', timeout: NPM_MS }).stdout);
}

function packagesIn(answer: string): readonly unknown[] {
  const { checks } = JSON.parse(answer) as { checks: readonly { id: string; status: string; message: string }[] };
  return checks.filter(({ id }) => id === 'packages').map(({ status, message }) => `${status}: ${message}`);
}

const ALL = ['ok: @lydell/node-pty loads', 'ok: @xterm/headless loads', 'ok: sharp loads'];

describe('B21: the doctor finds the packages', () => {
  it('when the program is linked', () => {
    const prefix = makeFolder({});
    const { status, stderr } = npm(prefix, 'install', '--global', '--offline', '--prefix', prefix, root);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(packagesSeenBy(join(prefix, 'bin', 'pincer'))).toEqual(ALL);
  }, 300_000);

  it('when npx runs it', () => {
    const folder = makeFolder({ 'package.json': '{}' });
    const { status, stderr } = npm(folder, 'install', '--offline', root);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { env } = daemonPlace();
    const args = ['exec', '--offline', '--', 'pincer', 'doctor', '--json'];
    const { stdout } = spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8', timeout: NPM_MS });
    expect(packagesIn(stdout)).toEqual(ALL);
  }, 300_000);

  it('when the packed program is installed globally (needs the registry for its packages)', (context) => {
    const packed = makeFolder({});
    expect(npm(root, 'pack', '--pack-destination', packed).status).toBe(0);
    const [tarball = ''] = readdirSync(packed);
    const prefix = makeFolder({});
    const installed = npm(prefix, 'install', '--global', '--prefer-offline', '--prefix', prefix, join(packed, tarball));
    if (/E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|TIMEDOUT|NETUNREACH|404)|ENOTCACHED/u.test(installed.stderr))
      context.skip(`the registry cannot be reached: ${installed.stderr.split('\n', 1)[0]}`);
    expect({ status: installed.status, stderr: installed.stderr }).toEqual({ status: 0, stderr: '' });
    expect(packagesSeenBy(join(prefix, 'bin', 'pincer'))).toEqual(ALL);
  }, 600_000);
});
