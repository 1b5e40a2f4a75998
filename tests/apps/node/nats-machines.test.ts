/** The built program at work: a gateway and nodes that reach each other through a NATS server on loopback. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../src/hosts/identity/certificate.ts';
import { makeFolder } from '../../support/folder.ts';
import { natsCluster } from '../../support/nats-cluster.ts';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';
import { runPincer } from '../serve/serving.ts';
import { home, json, RUNS_ALL, started } from './machines.ts';
import { invited, natsGateway, natsNode, onNode } from './nats-homes.ts';

it('pairs a node with an invitation, and runs commands through NATS', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster);
  const { node, running } = await natsNode(gateway);
  const ran = await onNode(gateway, 'sh', '-c', 'pwd; exit 3');
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 3, stdout: `${node.workspace}\n` });
  expect(await json(gateway, ['status'])).toMatchObject({
    daemon: { nodes: { url: cluster.servers, connected: 1, nats: { connected: true } } },
  });
  // It connects with its key alone from now on.
  await running.end('SIGKILL');
  const again = started(node, ['node', 'run']);
  await until(() => again.state() === 'connected', 'the connection');
  expect((await onNode(gateway, 'echo', 'hi')).stdout).toBe('hi\n');
});

it('accepts an invitation once, and no node without one', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster);
  const { invitation } = await natsNode(gateway);
  const second = await runPincer(home(RUNS_ALL), ['node', 'run', '--invitation', invitation]);
  expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('NODE_INVITATION')]);
  const direct = await runPincer(gateway, ['nodes', 'invite', '--url', 'wss://gateway.example:1']);
  expect([direct.code, direct.stderr]).toEqual([3, expect.stringContaining('over NATS only: nodes.listen is not set')]);
  const uninvited = await runPincer(home(RUNS_ALL), ['node', 'run', '--gateway', cluster.servers]);
  expect([uninvited.code, uninvited.stderr]).toEqual([3, expect.stringContaining('NODE_INVITATION')]);
});

it('ends the commands of a removed node, and NATS refuses its key', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster);
  const { node, running } = await natsNode(gateway);
  await runPincer(gateway, ['exec', '--host', 'node', '--background', '--', 'sh', '-c', 'echo $$ > pid; sleep 600']);
  const pidFile = join(node.workspace, 'pid');
  await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'), 'the command');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await json(gateway, ['nodes', 'remove', 'n']);
  await until(() => running.child.exitCode !== null, 'the end of the node');
  expect([running.child.exitCode, running.stderr()]).toEqual([3, expect.stringContaining('NODE_REVOKED')]);
  await until(() => !isThere(pid), 'the end of the command');
  await until(async () => {
    const again = started(node, ['node', 'run']);
    await until(() => again.child.exitCode !== null || again.state() === 'disconnected', 'a refusal');
    await again.end();
    return again.lines.some(({ code }) => code === 'NODE_CREDENTIALS');
  }, 'the refusal of NATS');
});

it('connects again when the server restarts, and loses no output', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster);
  const { node, running } = await natsNode(gateway);
  const loop = 'touch begun; i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); sleep 0.01; done';
  const output = onNode(gateway, 'sh', '-c', loop);
  await until(() => existsSync(join(node.workspace, 'begun')), 'the command');
  await cluster.kill(0);
  await until(() => running.state() !== 'connected', 'the end of the connection');
  await cluster.start(0);
  const { stdout, code } = await output;
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([...Array.from({ length: 400 }, (_, i) => `line ${i}`), '']);
});

it('refuses NATS for a node that was paired over TLS to the gateway itself', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster, { nodes: { listen: '127.0.0.1:0' } });
  const { daemon } = (await json(gateway, ['status'])) as { daemon: { nodes: { url: string } } };
  const node = home(RUNS_ALL);
  const bound = started(node, ['node', 'run', '--invitation', await invited(gateway, ['--url', daemon.nodes.url])]);
  await until(() => bound.state() === 'connected', `the connection: ${bound.stderr()}`);
  await bound.end();
  const running = started(node, ['node', 'run', '--invitation', await invited(gateway)]);
  await until(() => running.lines.some(({ code }) => code === 'NODE_IDENTITY'), 'the refusal');
});

it('replaces its key, and connects with the new one', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster);
  const { node, running } = await natsNode(gateway);
  expect(await json(node, ['node', 'rotate'])).toEqual({ rotation: 'replaced' });
  await until(() => running.state() === 'connected', 'the connection');
  expect((await onNode(gateway, 'echo', 'one')).stdout).toBe('one\n');
  await running.end();
  expect(await json(node, ['node', 'rotate'])).toEqual({ rotation: 'replaced' });
  const again = started(node, ['node', 'run']);
  await until(() => again.state() === 'connected', `the connection: ${again.stderr()}`);
  expect((await onNode(gateway, 'echo', 'two')).stdout).toBe('two\n');
});

it('doctor says why the gateway is not connected to NATS', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster);
  await cluster.kill(0);
  const messages = async (): Promise<readonly string[]> =>
    ((await json(gateway, ['doctor'])) as { checks: readonly { message: string }[] }).checks.map((one) => one.message);
  await until(async () => (await messages()).some((text) => /NATS is not connected/u.test(text)), 'the finding');
  expect(await messages()).toContainEqual(expect.stringMatching(/^NATS is not connected \(.+\); 0 of 0 nodes/u));
});

it('pairs without serving, and serves later', async () => {
  const cluster = await natsCluster();
  const { gateway } = await natsGateway(cluster);
  const node = home(RUNS_ALL);
  const paired = await runPincer(node, [
    'node',
    'pair',
    '--invitation',
    await invited(gateway),
    '--name',
    'n',
    '--json',
  ]);
  expect([paired.code, paired.stdout]).toEqual([0, expect.stringContaining('"paired"')]);
  const running = started(node, ['node', 'run']);
  await until(() => running.state() === 'connected', `the connection: ${running.stderr()}`);
});

it('answers at one gateway a request that an agent of another gateway caused', async () => {
  const cluster = await natsCluster();
  const judged = { tools: { exec: { host: 'gateway', security: 'allowlist', ask: 'always' } } };
  const { gateway: one } = await natsGateway(cluster, judged);
  const { gateway: two } = await natsGateway(cluster, judged);
  const asked = await runPincer(one, ['exec', '--host', 'gateway', '--', 'touch', 'ran']);
  expect(asked.code).toBe(4);
  let slug: string | undefined;
  await until(async () => {
    const { approvals } = (await json(two, ['approvals', 'list'])) as { approvals: readonly { slug: string }[] };
    slug = approvals[0]?.slug;
    return slug !== undefined;
  }, 'the request at the other gateway');
  await json(two, ['approvals', 'allow', slug!]);
  await until(() => existsSync(join(one.workspace, 'ran')), 'the command at the first gateway');
  expect(existsSync(join(two.workspace, 'ran'))).toBe(false);
});

it('connects over TLS to servers whose certificate is trusted, and to no others', async () => {
  const { cert, key } = selfSignedCertificate('localhost');
  const folder = makeFolder();
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key, { mode: 0o600 });
  const cluster = await natsCluster(1, paths);
  const trusts = ['/usr/bin/env', `NODE_EXTRA_CA_CERTS=${paths.cert}`];
  const { gateway } = await natsGateway(cluster, {}, trusts);
  const node = home(RUNS_ALL);
  const run = ['node', 'run', '--invitation', await invited(gateway), '--workspace', node.workspace];
  const distrusts = started(node, run);
  await until(() => distrusts.lines.some(({ code }) => code === 'NODE_UNREACHABLE'), 'the refusal');
  await distrusts.end();
  const running = started(node, run, trusts);
  await until(() => running.state() === 'connected', `the connection: ${running.stderr()}`);
  expect((await onNode(gateway, 'echo', 'hi')).stdout).toBe('hi\n');
});
