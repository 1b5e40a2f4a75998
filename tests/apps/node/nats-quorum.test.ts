/** The built program at work: gateways and a node on three NATS servers, of which two die. One alone has no JetStream. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { messageOf } from '../../../src/base/message-of.ts';
import { invitationText, parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { copiesOf, type NatsCluster, natsCluster } from '../../support/nats-cluster.ts';
import { PATIENCE_MS, until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { home, json, RUNS_ALL, started } from './machines.ts';
import { invited, natsGateway, type NatsGatewayHome, onNode } from './nats-homes.ts';

const FLEET_MS = 180_000;

async function requests(gateway: Home): Promise<readonly ApprovalInfo[]> {
  return ((await json(gateway, ['approvals', 'list'])) as { approvals: readonly ApprovalInfo[] }).approvals;
}

const isOnNode = ({ host }: SessionInfo): boolean => host === 'node';

/** How many ends of commands on nodes the gateway has reported. */
async function finished(gateway: Home): Promise<number> {
  const { stdout } = await runPincer(gateway, ['events', '--json']);
  return stdout.split('\n').filter((line) => line.includes('"exec-exit"')).length;
}

/** The index of the server that the gateway uses. */
function serverOf({ servers }: NatsCluster, { running }: NatsGatewayHome): number {
  const used = running.stderr().match(/connected to NATS at (\S+)/u)?.[1] ?? 'none';
  return servers.split(',').findIndex((address) => address.endsWith(used));
}

/** A node that uses one of the servers only. */
async function nodeOn(server: string, gateway: Home) {
  const node = home(RUNS_ALL);
  const invitation = invitationText({ ...parseInvitation(await invited(gateway)), url: server });
  const args = ['node', 'run', '--invitation', invitation, '--name', 'n', '--workspace', node.workspace];
  const running = started(node, args);
  await until(() => running.state() === 'connected', `the connection: ${running.stderr()}`);
  return { node, running };
}

it('keeps three copies of all that gateways share', { timeout: FLEET_MS }, async () => {
  const cluster = await natsCluster(3);
  await natsGateway(cluster);
  const three = { KV_pin_approvals: 3, KV_pin_nodes: 3, KV_pin_owner: 3, KV_pin_requests: 3 };
  // A new stream has its copies, and answers, after an election.
  await expect.poll(() => copiesOf(cluster).catch(messageOf), { timeout: PATIENCE_MS }).toEqual(three);
});

it('runs commands on nodes through the one server that is left, and refuses what needs most of them', {
  timeout: FLEET_MS,
}, async () => {
  const cluster = await natsCluster(3);
  const a = await natsGateway(cluster);
  const b = await natsGateway(cluster, {}, [], cluster.files.otherCreds);
  const kept = serverOf(cluster, a);
  const others = [0, 1, 2].filter((index) => index !== kept);
  const { node, running } = await nodeOn(cluster.servers.split(',')[kept]!, a.gateway);
  const asked = await runPincer(a.gateway, ['exec', '--host', 'gateway', '--ask', 'always', '--', 'touch', 'ran']);
  expect(asked.code).toBe(4);
  await until(async () => (await requests(b.gateway)).length === 1, 'the request at the other gateway');
  const [request] = await requests(b.gateway);
  const links = (): number => a.running.stderr().match(/node n \S+ is connected/gu)?.length ?? 0;
  const before = links();
  const waits = ['sh', '-c', 'until [ -e go ]; do sleep 0.1; done; echo done'];
  await runPincer(a.gateway, ['exec', '--host', 'node', '--background', '--', ...waits]);
  for (const index of others) await cluster.kill(index);

  expect((await onNode(a.gateway, 'echo', 'over the same link')).stdout).toBe('over the same link\n');
  expect(links()).toBe(before);
  await until(async () => (await onNode(b.gateway, 'echo', 'b')).stdout === 'b\n', 'the node at the other gateway');
  const refused = await runPincer(b.gateway, ['approvals', 'allow', request!.slug]);
  // A gateway that has connected anew without the other servers may not know the request: then it is unknown (1).
  expect([1, 3]).toContain(refused.code);
  expect(existsSync(join(a.gateway.workspace, 'ran'))).toBe(false);
  // The gateway that has the request carries out its own answers.
  expect(await json(a.gateway, ['approvals', 'allow', request!.slug])).toMatchObject({ ok: true });
  await until(() => existsSync(join(a.gateway.workspace, 'ran')), 'the command');

  // Another gateway may report the end of the command, as far as this one can know: the notice waits.
  writeFileSync(join(node.workspace, 'go'), '');
  const ended = async () => ((await json(a.gateway, ['ps', '--all'])) as readonly SessionInfo[]).filter(isOnNode);
  await until(async () => (await ended()).every(({ status }) => status === 'completed'), 'the end of the command');
  expect(await finished(a.gateway)).toBe(0);

  await running.end('SIGKILL');
  const again = started(node, ['node', 'run']);
  await until(() => again.state() === 'connected', `the connection: ${again.stderr()}`);
  expect((await onNode(a.gateway, 'echo', 'over a new link')).stdout).toBe('over a new link\n');

  for (const index of others) await cluster.start(index);
  await until(async () => (await finished(a.gateway)) === 1, 'the notice');
});
