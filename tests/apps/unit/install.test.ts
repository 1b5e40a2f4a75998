/** `pincer gateway install` and `pincer node install` with the built program. systemd is not asked to start anything. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Home, PROGRAM, runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, startedGateway } from '../node/machines.ts';

const ANALYZE = '/usr/bin/systemd-analyze';
const LISTENING = { nodes: { listen: '127.0.0.1:0' } };

interface Installed {
  readonly path: string;
  readonly text: string;
  readonly commands: readonly string[];
}

const pathOf = ({ folder }: Home, name: 'gateway' | 'node'): string =>
  join(folder, 'xdg', 'systemd', 'user', `pincer-${name}.service`);

/** A home whose configuration folder is not the usual one. */
function machine(config: object = LISTENING): Home {
  const made = home();
  const folder = join(made.folder, 'xdg');
  mkdirSync(join(folder, 'pincer'), { recursive: true });
  writeFileSync(join(folder, 'pincer', 'pincer.jsonc'), JSON.stringify(config));
  return { ...made, env: { ...made.env, XDG_CONFIG_HOME: folder } };
}

async function failure(place: Home, ...args: readonly string[]): Promise<readonly [number | null, string]> {
  const { code, stderr } = await runPincer(place, args);
  return [code, (JSON.parse(stderr) as { error: { code: string } }).error.code];
}

describe('pincer gateway install', () => {
  it('writes a unit that starts this program with the given options, and prints how to start it', async () => {
    const place = machine();
    const installed = (await json(place, ['gateway', 'install', '--port', '0'])) as Installed;
    expect(installed.path).toBe(pathOf(place, 'gateway'));
    expect(readFileSync(installed.path, 'utf8')).toBe(installed.text);
    expect(statSync(installed.path).mode & 0o777).toBe(0o600);
    expect(installed.text).toContain(
      `ExecStart="${process.execPath}" "${PROGRAM}" "gateway" "--port" "0" "--workspace" "${place.workspace}"\n`,
    );
    expect(installed.text).toContain(`Environment="PINCER_STATE_DIR=${place.stateDir}"\n`);
    expect(installed.text).toContain(`Environment="XDG_CONFIG_HOME=${join(place.folder, 'xdg')}"\n`);
    expect(installed.commands).toContain('systemctl --user enable --now pincer-gateway.service');
    expect((await runPincer(place, ['gateway', 'install', '--human'])).stdout).toMatch(
      /^wrote .*\n[^]*loginctl enable-linger/u,
    );
    expect(existsSync(join(place.stateDir, 'daemon'))).toBe(false);
  });

  it('prints the unit and writes nothing with --dry-run', async () => {
    const place = machine();
    const { stdout } = await runPincer(place, ['gateway', 'install', '--dry-run', '--human']);
    expect(stdout).toMatch(/^# Written by pincer gateway install\.[^]*\[Install\]\nWantedBy=default\.target\n$/u);
    expect(existsSync(pathOf(place, 'gateway'))).toBe(false);
  });

  it('needs nodes.listen, as pincer gateway does', async () => {
    expect(await failure(machine({}), 'gateway', 'install')).toEqual([3, 'NODE_NOT_LISTENING']);
  });

  it.each(['file', 'symlink'])('replaces or removes a %s of another author only with --force', async (kind) => {
    const place = machine();
    const path = pathOf(place, 'gateway');
    mkdirSync(dirname(path), { recursive: true });
    const other = join(place.folder, 'other');
    writeFileSync(kind === 'file' ? path : other, '[Service]\nExecStart=/bin/true\n');
    if (kind === 'symlink') symlinkSync(other, path);
    expect(await failure(place, 'gateway', 'install')).toEqual([1, 'UNIT_FOREIGN']);
    expect(await failure(place, 'gateway', 'uninstall')).toEqual([1, 'UNIT_FOREIGN']);
    expect(readFileSync(path, 'utf8')).toBe('[Service]\nExecStart=/bin/true\n');
    await json(place, ['gateway', 'install', '--force']);
    expect(readFileSync(path, 'utf8')).toMatch(/^# Written by pincer/u);
    if (kind === 'symlink') expect(readFileSync(other, 'utf8')).toBe('[Service]\nExecStart=/bin/true\n');
  });

  it('is removed by uninstall, unless systemd still starts it', async () => {
    const place = machine();
    const { path } = (await json(place, ['gateway', 'install'])) as Installed;
    const wants = join(dirname(path), 'default.target.wants');
    mkdirSync(wants);
    symlinkSync(path, join(wants, 'pincer-gateway.service'));
    expect(await failure(place, 'gateway', 'uninstall')).toEqual([1, 'UNIT_ENABLED']);
    expect(existsSync(path)).toBe(true);
    expect(await json(place, ['gateway', 'uninstall', '--force'])).toEqual({ path, removed: true });
    expect((await runPincer(place, ['gateway', 'uninstall'])).code).toBe(1);
  });

  it.skipIf(!existsSync(ANALYZE))('is valid for systemd', async () => {
    const place = machine();
    const { path } = (await json(place, ['gateway', 'install'])) as Installed;
    const runtime = join(place.folder, 'systemd');
    mkdirSync(runtime, { mode: 0o700 });
    const env = { ...place.env, XDG_RUNTIME_DIR: runtime, SYSTEMD_LOG_LEVEL: 'warning' };
    const { status, stderr } = spawnSync(ANALYZE, ['verify', '--user', '--man=no', path], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('pincer node install', () => {
  it('needs a pairing, and starts pincer node run', async () => {
    const place = machine({});
    expect(await failure(place, 'node', 'install')).toEqual([3, 'NODE_NO_GATEWAY']);
    const { gateway } = await startedGateway();
    const { invitation } = (await json(gateway, ['nodes', 'invite'])) as { invitation: string };
    await runPincer(place, ['node', 'pair', '--invitation', invitation]);
    const { text } = (await json(place, ['node', 'install', '--workspace', place.workspace])) as Installed;
    expect(text).toContain(
      `ExecStart="${process.execPath}" "${PROGRAM}" "node" "run" "--workspace" "${place.workspace}"\n`,
    );
    expect(await json(place, ['node', 'uninstall'])).toMatchObject({ removed: true });
  });
});

describe('pincer doctor', () => {
  const findings = async (place: Home): Promise<readonly string[]> => {
    const { stdout } = await runPincer(place, ['doctor', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: readonly { id: string; status: string; message: string }[] };
    return checks
      .filter(({ id }) => ['units', 'gateway', 'own-node'].includes(id))
      .map(({ id, status, message }) => `${id} ${status}: ${message.replaceAll(place.folder, 'HOME')}`);
  };

  it('checks the units', async () => {
    const place = machine();
    await json(place, ['gateway', 'install']);
    const unit = 'HOME/xdg/systemd/user/pincer-gateway.service';
    expect(await findings(place)).toContain(`units ok: ${unit} starts this program`);
    const path = pathOf(place, 'gateway');
    writeFileSync(path, readFileSync(path, 'utf8').replace(PROGRAM, '/gone/pincer.cjs'));
    expect(await findings(place)).toContain(`units fail: ${unit} starts /gone/pincer.cjs, which does not exist`);
  });

  it('checks the gateway and the node', async () => {
    const { gateway, url, running } = await startedGateway();
    const { node, running: itself } = await invitedNode(gateway);
    expect(await findings(gateway)).toEqual([
      'units skip: no systemd unit of pincer is installed',
      `gateway ok: listens at ${url}; 1 of 1 nodes are connected`,
      'own-node skip: this machine is no node',
    ]);
    expect((await findings(node)).at(-1)).toMatch(/^own-node ok: wss:.*: connected to the gateway [a-z2-7]{32}$/u);
    chmodSync(join(node.stateDir, 'identity.json'), 0o644);
    expect(await findings(node)).toContainEqual(
      expect.stringMatching(/^own-node fail: .*identity\.json is not used: other users can read/u),
    );
    await itself.end();
    expect((await findings(node)).at(-1)).toMatch(
      /^own-node warn: paired with wss:.*; pincer node run is not running$/u,
    );
    await running.end();
    expect(await findings(gateway)).toContain('gateway warn: pincer gateway is not running');
  });
});
