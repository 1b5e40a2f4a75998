/** The built program with `nodes.tls: "proxy"`: a reverse proxy with a certificate of an own authority terminates TLS. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Authority, authority, hasOpenssl, tlsProxyTo } from '../../support/authority.ts';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { gatewayIn, home, json, RUNS_ALL, type Running, started, startedGateway } from './machines.ts';

const PROXIED = { listen: '127.0.0.1:0', tls: 'proxy' };
const HOST = 'localhost';

interface Behind {
  readonly gateway: Home;
  readonly running: Running;
  readonly ca: Authority;
  /** The address of the listener, and that of the proxy. */
  readonly own: string;
  readonly url: string;
  /** How a node is started that trusts the authority. */
  readonly trusting: readonly string[];
}

async function behindProxy(certificateFor = HOST): Promise<Behind> {
  const gateway = home({ ...RUNS_ALL, nodes: PROXIED });
  return proxyFor(gateway, await gatewayIn(gateway), certificateFor);
}

async function proxyFor(gateway: Home, running: Running, certificateFor = HOST): Promise<Behind> {
  const [{ nodes }] = running.lines as unknown as readonly [{ readonly nodes: { readonly url: string } }];
  const ca = authority();
  const port = await tlsProxyTo(Number(new URL(nodes.url).port), ca.issue(certificateFor));
  const trusting = ['/usr/bin/env', `NODE_EXTRA_CA_CERTS=${ca.file}`];
  return { gateway, running, ca, own: nodes.url, url: `wss://${HOST}:${port}`, trusting };
}

async function invited({ gateway, url }: Pick<Behind, 'gateway' | 'url'>): Promise<string> {
  return ((await json(gateway, ['nodes', 'invite', '--url', url])) as { readonly invitation: string }).invitation;
}

function run(node: Home, invitation: string, prefix: readonly string[]): Running {
  return started(
    node,
    ['node', 'run', '--invitation', invitation, '--name', 'n', '--workspace', node.workspace],
    prefix,
  );
}

const connected = (running: Running): Promise<void> => until(() => running.state() === 'connected', 'the connection');
const refusedWith = (running: Running, code: string): Promise<void> =>
  until(() => running.lines.some((line) => line['code'] === code), `${code}: ${JSON.stringify(running.lines)}`);
const onNode = (gateway: Home) => runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi']);
const wasConnected = ({ lines }: Running): boolean => lines.some(({ state }) => state === 'connected');

describe.skipIf(!hasOpenssl)('a gateway behind a proxy that terminates TLS', () => {
  it('pairs a node by an invitation, which says that there is a proxy, and the node keeps it', async () => {
    const behind = await behindProxy();
    const { gateway, url, own, trusting } = behind;
    expect(own).toMatch(/^ws:\/\/127\.0\.0\.1:/u);
    const without = await runPincer(gateway, ['nodes', 'invite']);
    expect(without.stderr).toContain('PARAM_INVALID');
    expect(without.stderr).toContain('pincer nodes invite --url wss://');
    const node = home(RUNS_ALL);
    const first = run(node, await invited(behind), trusting);
    await connected(first);
    expect(first.lines.at(-1)).toMatchObject({ proxy: true, url });
    expect((await onNode(gateway)).stdout).toBe('hi\n');
    expect(await json(gateway, ['nodes', 'show', 'n'])).toMatchObject({ bound: false });
    await first.end();
    expect(await json(node, ['node', 'status'])).toMatchObject({ gateway: { url, proxy: true, isBound: false } });
    expect((await runPincer(node, ['node', 'status', '--human'])).stdout).toContain(
      'through a proxy that terminates TLS',
    );
    const distrusting = started(node, ['node', 'run']);
    await refusedWith(distrusting, 'NODE_CERTIFICATE');
    expect(wasConnected(distrusting)).toBe(false);
    await distrusting.end();
    const again = started(node, ['node', 'run'], trusting);
    await connected(again);
    expect((await onNode(gateway)).stdout).toBe('hi\n');
    await again.end();
    const plain = started(node, ['node', 'run', '--gateway', own], trusting);
    expect([await plain.ended, plain.stderr()]).toEqual([3, expect.stringContaining('NODE_INSECURE')]);
  });

  it('pairs by digits a node that was started with --proxy, and no other', async () => {
    const { gateway, url, trusting } = await behindProxy();
    const node = home(RUNS_ALL);
    const untold = started(node, ['node', 'run', '--gateway', url, '--name', 'n'], trusting);
    await refusedWith(untold, 'NODE_IDENTITY');
    expect(wasConnected(untold)).toBe(false);
    expect(await json(gateway, ['nodes', 'pending'])).toEqual([]);
    await untold.end();
    const running = started(node, ['node', 'run', '--gateway', url, '--proxy', '--name', 'n'], trusting);
    await until(() => running.state() === 'pending', 'the request');
    const { code } = running.lines.at(-1) as { readonly code: string };
    await json(gateway, ['nodes', 'approve', code]);
    await connected(running);
    await json(node, ['node', 'confirm', code]);
    await until(() => running.lines.at(-1)?.['confirmed'] === true && running.state() === 'connected', 'the offer');
    expect((await onNode(gateway)).stdout).toBe('hi\n');
  });

  it.each([
    ['of an unknown authority', HOST, false],
    ['for another host name', 'other.example', true],
  ])('is not reached by a node that gets a certificate %s', async (_, certificateFor, trusts) => {
    const behind = await behindProxy(certificateFor);
    const running = run(home(RUNS_ALL), await invited(behind), trusts ? behind.trusting : []);
    await refusedWith(running, 'NODE_CERTIFICATE');
    expect(wasConnected(running)).toBe(false);
    expect(await json(behind.gateway, ['nodes', 'list'])).toEqual([]);
  });

  it('is refused by a node that was paired without a proxy, until both ends forget the pairing', async () => {
    const before = await startedGateway();
    const node = home(RUNS_ALL);
    const { invitation } = (await json(before.gateway, ['nodes', 'invite'])) as { readonly invitation: string };
    const direct = run(node, invitation, []);
    await connected(direct);
    await direct.end();
    await before.running.end();
    const config = join(before.gateway.folder, 'config', 'pincer', 'pincer.jsonc');
    writeFileSync(config, JSON.stringify({ ...RUNS_ALL, nodes: PROXIED }));
    const behind = await proxyFor(before.gateway, await gatewayIn(before.gateway));
    const { gateway, url, trusting } = behind;
    const downgraded = started(node, ['node', 'run', '--gateway', url], trusting);
    await refusedWith(downgraded, 'NODE_IDENTITY');
    expect(wasConnected(downgraded)).toBe(false);
    await downgraded.end();
    for (const args of [
      ['--gateway', url, '--proxy'],
      ['--invitation', await invited(behind)],
    ]) {
      const refused = started(node, ['node', 'run', ...args], trusting);
      expect([await refused.ended, refused.stderr()]).toEqual([3, expect.stringContaining('NODE_INSECURE')]);
    }
    await json(node, ['node', 'forget']);
    const half = run(node, await invited(behind), trusting);
    await refusedWith(half, 'NODE_IDENTITY'); // of the gateway, which keeps the pairing
    await half.end();
    await json(gateway, ['nodes', 'remove', 'n']);
    await connected(run(node, await invited(behind), trusting));
    expect((await onNode(gateway)).stdout).toBe('hi\n');
  });
});

describe('nodes.tls proxy', () => {
  it.each([
    ['an address that is not loopback', { nodes: { ...PROXIED, listen: '0.0.0.0:0' } }, 3, 'NODE_INSECURE'],
    [
      'NATS',
      { nodes: PROXIED, gateway: { cluster: { nats: { servers: ['nats://127.0.0.1:4222'], creds: '/x' } } } },
      2,
      'CONFIG_INVALID',
    ],
  ])('is refused with %s', async (_, config, exit, code) => {
    const refused = await runPincer(home(config), ['gateway', '--port', '0']);
    expect([refused.code, refused.stderr]).toEqual([exit, expect.stringContaining(code)]);
  });

  it('is not told twice: --proxy and --invitation exclude each other', async () => {
    const refused = await runPincer(home(), ['node', 'run', '--proxy', '--invitation', 'x']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('exclude each other')]);
  });
});
