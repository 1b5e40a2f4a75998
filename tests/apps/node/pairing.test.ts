/** `pincer node pair`, `rotate` and `status`, and what the gateway shows of it, with the built program. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeKeyFiles } from '../../../src/hosts/identity/node-keys.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, RUNS_ALL, started, startedGateway } from './machines.ts';

const nodesOf = async (gateway: Home): Promise<readonly NodeInfo[]> =>
  (await json(gateway, ['nodes', 'list'])) as readonly NodeInfo[];

describe('pincer node pair', () => {
  it('shows digits, pairs when they are approved, and exits; node run then connects', async () => {
    const { gateway, url } = await startedGateway();
    const node = home(RUNS_ALL);
    const pairing = started(node, ['node', 'pair', '--gateway', url, '--name', 'n']);
    await until(() => pairing.state() === 'pending', 'the digits');
    await json(gateway, ['nodes', 'approve', String(pairing.lines[0]?.['code'])]);
    expect(await pairing.ended).toBe(0);
    expect(pairing.lines.at(-1)).toMatchObject({ state: 'paired', gateway: { url } });
    const running = started(node, ['node', 'run']);
    await until(() => running.state() === 'connected', 'the connection');
    const busy = await runPincer(node, ['node', 'pair', '--gateway', url]);
    expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining('NODE_RUNNING')]);
    const again = await runPincer(gateway, ['nodes', 'approve', 'n', '--human']);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/^NODE_ALREADY_PAIRED: node n \([a-z2-7]{32}\) is already paired, and connected\n/u),
    ]);
  });

  it('pairs with an invitation, and says what the person can do without one', async () => {
    const { gateway, url } = await startedGateway();
    const node = home(RUNS_ALL);
    const { invitation } = (await json(gateway, ['nodes', 'invite'])) as { invitation: string };
    const paired = await runPincer(node, ['node', 'pair', '--invitation', invitation, '--name', 'n', '--human']);
    expect(paired.stdout).toMatch(/^paired with the gateway [a-z2-7]{32} at wss:.*\nnext: pincer node run/u);
    await runPincer(node, ['node', 'forget']);
    const unknown = await runPincer(node, ['node', 'pair', '--gateway', url]);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('NODE_GATEWAY_UNKNOWN')]);
    expect((await runPincer(node, ['node', 'status'])).code).toBe(1);
  });

  it('withdraws its request when it is interrupted', async () => {
    const { gateway, url } = await startedGateway();
    const pairing = started(home(), ['node', 'pair', '--gateway', url]);
    await until(() => pairing.state() === 'pending', 'the digits');
    expect(await pairing.end('SIGINT')).toBe(130);
    expect(pairing.stderr()).toBe('pincer node pair: interrupted; this machine is not paired\n');
    await until(
      async () => ((await json(gateway, ['nodes', 'pending'])) as readonly unknown[]).length === 0,
      'no request',
    );
  });
});

describe('pincer node rotate', () => {
  it.each(['running', 'stopped'])('replaces the key of a node that is %s', async (how) => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    const [before] = await nodesOf(gateway);
    if (how === 'stopped') await running.end();
    expect(await json(node, ['node', 'rotate'])).toEqual({ rotation: 'replaced' });
    const { current, next } = nodeKeyFiles(node.stateDir);
    expect([existsSync(current), existsSync(next)]).toEqual([true, false]);
    if (how === 'stopped') started(node, ['node', 'run']);
    await until(async () => (await nodesOf(gateway))[0]?.connected === true, 'the connection');
    expect((await nodesOf(gateway)).map(({ id }) => id)).toEqual([before?.id]);
    expect(await json(node, ['node', 'status'])).toMatchObject({ id: before?.id, isRotating: false });
    expect((await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi'])).stdout).toBe('hi\n');
  });

  it('needs a pairing', async () => {
    const { code, stderr } = await runPincer(home(), ['node', 'rotate']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('NODE_NO_GATEWAY')]);
  });
});

describe('what an operator sees', () => {
  it('a machine that is not paired shows its own settings', async () => {
    const node = home();
    await json(node, ['config', 'set', 'node.workspace', JSON.stringify(node.workspace)]);
    const { stdout } = await runPincer(node, ['node', 'status', '--human']);
    expect(stdout).toContain(`files       rw, in ${node.workspace}\n`);
    expect(stdout).toContain('answers     once:');
    expect(await json(node, ['node', 'status'])).toMatchObject({ files: 'rw', answers: 'once', confirmed: false });
  });

  it('node.exec=off is shown at the gateway at once', async () => {
    const { gateway } = await startedGateway();
    const { node } = await invitedNode(gateway);
    await runPincer(node, ['config', 'set', 'node.exec', 'off']);
    await until(async () => (await nodesOf(gateway))[0]?.offer.exec === 'off', 'the offer');
    expect((await runPincer(gateway, ['nodes', 'list', '--human'])).stdout).toContain('exec off');
    const refused = await runPincer(gateway, ['exec', '--host', 'node', '--', 'true']);
    expect(refused.stderr).toContain('NODE_CANNOT');
    expect((await runPincer(node, ['node', 'status', '--human'])).stdout).toContain('commands    off (node.exec)\n');
  });

  it('without a gateway process, the reason is the gateway, not the node', async () => {
    const { gateway, running } = await startedGateway();
    await invitedNode(gateway);
    expect(await running.end()).toBe(0);
    const refused = await runPincer(gateway, ['exec', '--host', 'node', '--', 'true']);
    expect(refused.stderr).toMatch(/NODE_OFFLINE.*because pincer gateway is not running; nothing was sent/u);
    const { stdout } = await runPincer(gateway, ['nodes', 'list', '--human']);
    expect(stdout).toMatch(/offline [^]*\npincer gateway is not running, so no node can connect\n$/u);
  });
});
