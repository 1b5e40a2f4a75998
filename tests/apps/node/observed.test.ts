/** What status, metrics and the instructions for models say about nodes, with the built program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, RUNS_ALL, type StartedGateway, startedGateway } from './machines.ts';

/** The instructions that an MCP client gets. */
async function instructions({ gateway, running }: StartedGateway): Promise<string> {
  const { url } = running.lines[0] as { url: string };
  const token = readFileSync(join(gateway.stateDir, 'serve', 'token'), 'utf8').trim();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
  return await response.text();
}

async function metrics({ gateway, running }: StartedGateway): Promise<readonly string[]> {
  const { url } = running.lines[0] as { url: string };
  const token = readFileSync(join(gateway.stateDir, 'serve', 'token'), 'utf8').trim();
  const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } });
  return (await response.text()).split('\n').filter((line) => line.startsWith('pincer_node'));
}

const statusOf = async (place: Home): Promise<string> => (await runPincer(place, ['status', '--human'])).stdout;

it('status, metrics and instructions know the nodes of a gateway', async () => {
  const started = await startedGateway();
  const { gateway, url } = started;
  expect(await instructions(started)).not.toContain('host=node');
  const { node, running } = await invitedNode(gateway);
  expect(await statusOf(gateway)).toContain(`nodes      1 of 1 connected, at ${url}\n`);
  expect(await statusOf(node)).toMatch(
    /^node {7}\S+, of the gateway wss:.*\n {11}connected to the gateway [a-z2-7]{32}, for /mu,
  );
  expect(await instructions(started)).toContain('host=node runs a command on the node n');
  expect(await metrics(started)).toEqual([
    'pincer_nodes{state="connected"} 1',
    'pincer_nodes{state="offline"} 0',
    'pincer_nodes{state="pending"} 0',
    'pincer_node_links_total 1',
  ]);
  await running.end();
  await until(async () => (await metrics(started))[1] === 'pincer_nodes{state="offline"} 1', 'the end of the link');
  expect(await instructions(started)).not.toContain('host=node');
  expect(await json(node, ['status'])).toMatchObject({
    ownNode: { running: false, gateway: { node: expect.any(String) } },
  });
});

it('events report that a node was paired and removed', async () => {
  const { gateway } = await startedGateway();
  await invitedNode(gateway);
  await json(gateway, ['nodes', 'remove', 'n']);
  const { stdout } = await runPincer(gateway, ['events', '--json']);
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; text: string; wake: boolean });
  expect(told.map(({ kind, wake }) => [kind, wake])).toEqual([
    ['node-paired', false],
    ['node-removed', false],
  ]);
  expect(told[0]?.text).toMatch(/^node n \([a-z2-7]{32}\) is paired by invitation/u);
});

it('call, ps and approvals reach the gateway process', async () => {
  const { gateway, running } = await startedGateway({ tools: { exec: { host: 'gateway' } } });
  const asked = await json(gateway, ['call', 'exec', '{"command":"touch x"}']);
  expect(asked).toMatchObject({ details: { status: 'approval-pending' } });
  expect(await json(gateway, ['approvals', 'list'])).toMatchObject({ approvals: [{ state: 'pending' }] });
  await runPincer(gateway, ['exec', '--host', 'sandbox', '--background', '--', 'sleep', '600']);
  expect(((await json(gateway, ['daemon', 'status'])) as { pid: number }).pid).toBe(running.child.pid);
  // Sessions of the gateway end with it.
  expect(await running.end()).toBe(0);
});

it('instructions name only nodes that the agent may use', async () => {
  const started = await startedGateway({ tools: { exec: { ...RUNS_ALL.tools.exec, nodes: ['other'] } } });
  await invitedNode(started.gateway);
  expect(await instructions(started)).not.toContain('host=node');
  expect(await json(home(), ['status'])).not.toHaveProperty('ownNode');
});
