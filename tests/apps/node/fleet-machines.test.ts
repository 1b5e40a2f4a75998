/** The built program at work: several gateways on one NATS server use a node that one of them has paired. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { natsCluster } from '../../support/nats-cluster.ts';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { json, RUNS_ALL, type Running, started } from './machines.ts';
import { natsGateway, natsNode, onNode } from './nats-homes.ts';

async function listed(gateway: Home): Promise<NodeInfo | undefined> {
  return ((await json(gateway, ['nodes', 'list'])) as readonly NodeInfo[])[0];
}

const gatewaysOf = ({ lines }: Running): readonly unknown[] => (lines.at(-1)?.['gateways'] ?? []) as readonly unknown[];

const usable = (gateway: Home): Promise<void> =>
  until(async () => (await listed(gateway))?.connected === true, 'the node at this gateway');

/** Two gateways, of which the first has the keys to revoke, and a node that the first has invited. */
async function fleet(config: object = RUNS_ALL) {
  const cluster = await natsCluster();
  const a = await natsGateway(cluster);
  const b = await natsGateway(cluster, {}, [], cluster.files.otherCreds);
  const { node, running } = await natsNode(a.gateway, config);
  await usable(b.gateway);
  return { cluster, a, b, node, running };
}

it('uses a node at a gateway that has not paired it, also after the end of the one that has', async () => {
  const { a, b, node } = await fleet();
  const ran = await onNode(b.gateway, 'sh', '-c', 'pwd; exit 3');
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 3, stdout: `${node.workspace}\n` });
  expect((await onNode(a.gateway, 'echo', 'a')).stdout).toBe('a\n');
  await a.running.end('SIGKILL');
  expect((await onNode(b.gateway, 'echo', 'b')).stdout).toBe('b\n');
});

it('says which gateways are connected', async () => {
  const { a, b, node, running } = await fleet();
  expect([running.state(), gatewaysOf(running).length]).toEqual(['connected', 2]);
  const doctor = await runPincer(b.gateway, ['doctor', '--human']);
  expect(doctor.stdout).toContain('1 of 1 nodes are connected');
  expect(doctor.stdout).toContain('other-gateways.json is for a further gateway');
  await a.running.end();
  await until(() => gatewaysOf(running).length === 1, 'the end of a connection');
  expect(running.state()).toBe('connected');
  const { stdout } = await runPincer(node, ['node', 'status', '--human']);
  expect(stdout).toMatch(/connection {2}connected to the gateway [a-z2-7]{32},/u);
});

it('connects a restarted node to another gateway, and to one that is new, while its own is off', async () => {
  const { cluster, a, b, node, running } = await fleet();
  await a.running.end('SIGKILL');
  await running.end('SIGKILL');
  const again = started(node, ['node', 'run']);
  await until(() => again.state() === 'connected', `the connection: ${again.stderr()}`);
  expect((await onNode(b.gateway, 'echo', 'b')).stdout).toBe('b\n');
  const c = await natsGateway(cluster, {}, [], cluster.files.otherCreds);
  await usable(c.gateway);
  expect((await onNode(c.gateway, 'echo', 'c')).stdout).toBe('c\n');
  expect(await json(node, ['node', 'rotate'])).toEqual({ rotation: 'replaced' });
  for (const { gateway } of [b, c])
    await until(async () => (await onNode(gateway, 'echo', 'new key')).stdout === 'new key\n', 'the new key');
  await b.running.end('SIGKILL');
  expect((await onNode(c.gateway, 'echo', 'c again')).stdout).toBe('c again\n');
});

it('shares the name, the new key and the removal of a node', async () => {
  const { a, b, node, running } = await fleet();
  await json(b.gateway, ['nodes', 'rename', 'n', 'build-1']);
  await until(async () => (await listed(a.gateway))?.name === 'build-1', 'the name at the other gateway');

  expect(await json(node, ['node', 'rotate'])).toEqual({ rotation: 'replaced' });
  for (const { gateway } of [a, b]) {
    await usable(gateway);
    await until(async () => (await onNode(gateway, 'echo', 'hi')).stdout === 'hi\n', 'a command after the rotation');
  }

  await json(b.gateway, ['nodes', 'remove', 'build-1']);
  await until(async () => (await listed(a.gateway))?.state === 'revoked', 'the removal at the other gateway');
  await until(() => running.child.exitCode !== null, 'the end of the node');
  expect([running.child.exitCode, running.stderr()]).toEqual([3, expect.stringContaining('NODE_REVOKED')]);
  // The first gateway revokes the credentials that the second one ended.
  await until(async () => {
    const again = started(node, ['node', 'run']);
    await until(() => again.child.exitCode !== null || again.state() === 'disconnected', 'a refusal');
    await again.end();
    return again.lines.some(({ code }) => code === 'NODE_CREDENTIALS');
  }, 'the refusal of NATS');
});

async function requests(gateway: Home): Promise<readonly ApprovalInfo[]> {
  return ((await json(gateway, ['approvals', 'list'])) as { approvals: readonly ApprovalInfo[] }).approvals;
}

/** Asks for a command at one gateway, and waits until both list the request once. */
async function asked(at: Home, others: readonly Home[], file: string): Promise<ApprovalInfo> {
  expect((await onNode(at, 'touch', file)).code).toBe(4);
  for (const gateway of [at, ...others])
    await until(async () => (await requests(gateway)).length === 1, 'the request at each gateway');
  return (await requests(at))[0]!;
}

const notices = async (gateway: Home): Promise<string> => (await runPincer(gateway, ['events', '--json'])).stdout;

it('answers a request of one gateway at another, and only the first one reports it', async () => {
  const { a, b, node } = await fleet({});
  const { slug, id } = await asked(a.gateway, [b.gateway], 'one');
  expect(await json(b.gateway, ['approvals', 'allow', slug])).toMatchObject({ ok: true, approval: { id } });
  await until(() => existsSync(join(node.workspace, 'one')), 'the command');
  await until(async () => (await notices(a.gateway)).includes('exec-finished'), 'the notice');
  for (const { gateway } of [a, b]) await until(async () => (await requests(gateway)).length === 0, 'an empty inbox');
  expect(await notices(b.gateway)).not.toMatch(/approval-|exec-/u);
  const late = await runPincer(b.gateway, ['approvals', 'deny', slug]);
  expect(late.code).not.toBe(0);
});

it('answers a request of a gateway that has died', async () => {
  const { a, b, node } = await fleet({});
  const { slug } = await asked(a.gateway, [b.gateway], 'one');
  await a.running.end('SIGKILL');
  expect(await json(b.gateway, ['approvals', 'allow', slug])).toMatchObject({ ok: true });
  await until(() => existsSync(join(node.workspace, 'one')), 'the command');
  await until(async () => (await requests(b.gateway)).length === 0, 'an empty inbox');
});
