/** The built program as a gateway, and machines that connect to it over TLS on loopback. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPointer } from '../../../../src/apps/daemon/pointer.ts';
import { parseInvitation } from '../../../../src/hosts/identity/invitation.ts';
import type { IssuedInvitation } from '../../../../src/wire/nodes/administration.ts';
import type { NodeInfo } from '../../../../src/wire/nodes/node.ts';
import { until } from '../../../support/patience.ts';
import { isThere } from '../../../support/processes.ts';
import { greet } from '../../../hosts/nodes/greet.ts';
import { type Home, makeHome, runPincer, type Server, startServer } from '../../serve/serving.ts';

const LISTENING = { nodes: { listen: '127.0.0.1:0' } };

function home(config: object = LISTENING): Home {
  const made = makeHome(config);
  onTestFinished(() => made.remove());
  return made;
}

async function gateway(place: Home): Promise<Server> {
  const server = await startServer(place, [], [], 'gateway');
  onTestFinished(async () => {
    await server.end();
  });
  return server;
}

async function json<T>(place: Home, ...args: readonly string[]): Promise<T> {
  const { stdout, stderr, code } = await runPincer(place, ['nodes', ...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

async function human(place: Home, ...args: readonly string[]): Promise<string> {
  return (await runPincer(place, ['nodes', ...args, '--human'])).stdout;
}

async function codeOf(place: Home, ...args: readonly string[]): Promise<readonly [number | null, string]> {
  const { code, stderr } = await runPincer(place, args);
  return [code, (JSON.parse(stderr) as { error: { code: string } }).error.code];
}

const urlOf = ({ said }: Server): string => (said['nodes'] as { url: string }).url;

describe('pincer gateway', () => {
  it('prints where it serves and where nodes connect, and is the daemon of its state folder', async () => {
    const place = home();
    await runPincer(place, ['exec', '--', 'true']);
    const before = readPointer(place.stateDir)!;
    const server = await gateway(place);
    await until(() => !isThere(before.pid), 'the end of the idle daemon');
    expect(server.said).toMatchObject({ url: `${server.base}/mcp`, pid: server.pid });
    expect(urlOf(server)).toMatch(/^wss:\/\/127\.0\.0\.1:\d+$/u);
    expect(readPointer(place.stateDir)?.pid).toBe(server.pid);
    expect((await server.ask('/readyz')).status).toBe(200);
    const { code, stderr } = await runPincer(place, ['gateway', '--port', '0', '--human']);
    expect([code, stderr]).toEqual([
      3,
      `GATEWAY_IN_USE: pincer already serves this state folder (pid ${server.pid}) at ${server.base}/mcp\n` +
        'hint: stop it with Ctrl-C where it runs, or with pincer daemon stop --force; then run this command again\n',
    ]);
  });

  it('names the server of its state folder before the port, and doctor says to stop it', async () => {
    const place = home();
    const server = await startServer(place);
    onTestFinished(async () => {
      await server.end();
    });
    for (const command of ['gateway', 'serve']) {
      const { code, stderr } = await runPincer(place, [command, '--port', String(server.port)]);
      const { error } = JSON.parse(stderr) as { error: object };
      expect([code, error]).toMatchObject([3, { code: 'GATEWAY_IN_USE', details: { pid: server.pid } }]);
    }
    const { stdout } = await runPincer(place, ['doctor', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: readonly { id: string }[] };
    expect(checks.find(({ id }) => id === 'gateway')).toMatchObject({
      status: 'warn',
      fix: `stop pincer serve (pid ${server.pid}) with Ctrl-C where it runs, then start pincer gateway`,
    });
  });

  it('does not start beside a daemon with sessions, and says so', async () => {
    const place = home();
    await runPincer(place, ['call', 'exec', '{"command":"sleep 600","background":true}']);
    const { code, stderr } = await runPincer(place, ['gateway', '--port', '0', '--human']);
    const { pid } = readPointer(place.stateDir)!;
    expect([code, stderr.split('\n')[0]]).toEqual([
      3,
      `GATEWAY_IN_USE: the daemon of the state folder (pid ${pid}) runs 1 session`,
    ]);
    expect(isThere(pid)).toBe(true);
  });

  it('needs the setting nodes.listen', async () => {
    expect(await codeOf(home({}), 'gateway', '--port', '0')).toEqual([3, 'NODE_NOT_LISTENING']);
  });
});

describe('pincer nodes', () => {
  it('lists no nodes, and starts no daemon for it', async () => {
    const place = home();
    expect(await json(place, 'list')).toEqual([]);
    expect(await human(place, 'list')).toBe('no nodes are paired; pincer nodes invite pairs one\n');
    expect(await codeOf(place, 'nodes', 'invite')).toEqual([3, 'NODE_NOT_LISTENING']);
    expect(readPointer(place.stateDir)).toBeUndefined();
  });

  it('pairs by invitation, shows, renames and removes', async () => {
    const place = home();
    const server = await gateway(place);
    const issued = await json<IssuedInvitation>(place, 'invite');
    expect(Object.keys(issued)).toEqual(['invitation', 'expiresAt']);
    const invitation = parseInvitation(issued.invitation);
    expect(invitation.url).toBe(urlOf(server));
    const node = await greet(invitation.url, { invitation });
    const link = await node.link();
    const { id } = node.identity;
    await until(async () => (await json<readonly NodeInfo[]>(place, 'list'))[0]?.connected === true, 'the link');
    expect(await json(place, 'list')).toEqual([
      {
        id,
        name: 'mac',
        platform: 'linux',
        version: '1.2.3',
        state: 'paired',
        connected: true,
        offer: { exec: 'judged', files: 'none', pty: true },
        lastSeenAt: expect.any(Number) as number,
        pairedAt: expect.any(Number) as number,
        remote: expect.stringMatching(/^127\.0\.0\.1:\d+$/u),
      },
    ]);
    expect(await human(place, 'list')).toMatch(
      new RegExp(`^NAME +ID .*\nmac +${id}  connected  now +linux +1\\.2\\.3 +exec\n$`, 'u'),
    );
    expect(await json(place, 'rename', 'mac', 'build')).toMatchObject({ id, name: 'build' });
    expect(await human(place, 'show', id.slice(0, 8))).toContain('state      connected\n');
    expect(await codeOf(place, 'nodes', 'rename', 'build', 'a b')).toEqual([1, 'NODE_NAME_REFUSED']);
    expect(await codeOf(place, 'nodes', 'show', 'mac')).toEqual([1, 'NODE_UNKNOWN']);
    expect(await human(place, 'remove', 'build')).toBe(
      `removed build (${id}): it is refused from now on\nto remove it from the list, too: pincer nodes remove ${id}\n`,
    );
    expect(await link.down).toBe('revoked');
    expect(await json(place, 'list')).toMatchObject([{ id, state: 'revoked', connected: false }]);
    expect(await human(place, 'remove', id)).toBe(
      `removed build (${id}) from the list\nwarning: this gateway no longer refuses it: that machine can request pairing again\n`,
    );
    expect(await json(place, 'list')).toEqual([]);
  });

  it('pairs by the eight digits that both ends show', async () => {
    const place = home();
    const server = await gateway(place);
    const node = await greet(urlOf(server));
    const { id } = node.identity;
    expect(await json(place, 'pending')).toMatchObject([{ id, code: node.code, state: 'pending' }]);
    expect(await human(place, 'pending')).toContain(`${node.code.slice(0, 4)} ${node.code.slice(4)}  mac   ${id}`);
    expect(await codeOf(place, 'nodes', 'approve', 'mac')).toEqual([1, 'NODE_CODE_REQUIRED']);
    const digits = [node.code.slice(0, 4), node.code.slice(4)];
    const text = `paired mac (${id})\nrun there: pincer node confirm ${node.code}\n`;
    expect(await human(place, 'approve', ...digits)).toBe(text);
    await node.link();
    const other = await greet(urlOf(server));
    expect(await json(place, 'approve', other.code, '--replaces', 'mac')).toMatchObject({
      id: other.identity.id,
      name: 'mac',
    });
    const third = await greet(urlOf(server));
    expect(await json(place, 'reject', third.identity.id)).toMatchObject({ id: third.identity.id });
    await expect(third.welcome).rejects.toMatchObject({ code: 'NODE_REJECTED' });
  });

  it('changes nothing from inside a session', async () => {
    const place = home();
    for (const verb of [['invite'], ['approve', 'x'], ['reject', 'x'], ['rename', 'x', 'y'], ['remove', 'x']])
      expect(await codeOf({ ...place, env: { ...place.env, PINCER_SESSION: 's' } }, 'nodes', ...verb)).toEqual([
        1,
        'APPROVAL_FROM_SESSION',
      ]);
  });
});
