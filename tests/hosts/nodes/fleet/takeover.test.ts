/** Two gateways on a NATS server, and a node that both reach. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { ConfigFile } from '../../../../src/config/schema/schema.ts';
import { closeNats, connectNats } from '../../../../src/hosts/channel/carriers/nats-connect.ts';
import { newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { Bucket } from '../../../../src/hosts/nodes/fleet/bucket.ts';
import { gatewayUser, readNatsCredentials } from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { ended, notices, pending, type TestGateway, testGateway } from '../../../support/gateway.ts';
import { type NatsCluster, natsCluster } from '../../../support/nats-cluster.ts';
import { type MemoryNode, memoryNodes } from '../../../support/nodes.ts';
import { until } from '../../../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };
const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };
const LEASE_MS = 1500;
const WAITING = 'are reported when the NATS servers answer';
const CONNECTED = 'connected to NATS at';

interface Fleet {
  readonly cluster: NatsCluster;
  readonly node: MemoryNode;
  readonly gateway: (servers?: string) => Promise<TestGateway & { readonly said: (text: string) => number }>;
}

async function fleet(nodeConfig?: ConfigFile): Promise<Fleet> {
  const cluster = await natsCluster();
  const memory = memoryNodes(true);
  const node = await memory.add({}, nodeConfig);
  return {
    cluster,
    node,
    async gateway(servers = cluster.servers) {
      const nodeWaits = { reconnectMs: 20, retryMs: 5, leaseMs: LEASE_MS, answerWithinMs: LEASE_MS };
      const lines: string[] = [];
      const log = (text: string): void => void lines.push(text);
      const made = await testGateway(ON_NODE, { nodes: memory.nodes, nodeWaits, log });
      await joined(made, cluster, servers);
      return { ...made, said: (text) => lines.filter((line) => line.includes(text)).length };
    },
  };
}

function joined(
  { gateway }: TestGateway,
  { files, ...cluster }: NatsCluster,
  servers = cluster.servers,
): Promise<void> {
  return gateway.connectNats({ servers: servers.split(','), creds: files.creds });
}

async function sessionsOf({ gateway }: TestGateway) {
  return gateway.call('session.list', { caller });
}

async function started(host: TestGateway, command: string): Promise<string> {
  const outcome = await host.exec({ command, background: true }, { stdin: 'open' });
  if (!('session' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.session.id;
}

const WAITS = 'echo first; read -r go; echo $go; exit 7';

it('another gateway continues the session of a gateway that has stopped, with its output, and reports its end', async () => {
  const { node, gateway, cluster } = await fleet();
  const [one, two] = [await gateway(), await gateway()];
  node.connect();
  const id = await started(one, WAITS);
  expect(await sessionsOf(two)).toEqual([]);
  const back = await one.again(async () => {
    await until(async () => (await sessionsOf(two)).length > 0, 'the session at the other gateway');
  });
  await until(async () => (await sessionsOf(two))[0]?.tail === 'first\n', 'the output so far');
  // The gateway is back: the session belongs to the other one by now.
  await joined(back, cluster);
  await until(async () => (await sessionsOf(back))[0]?.status !== 'running', 'the end of the session');
  expect((await sessionsOf(back))[0]).toMatchObject({
    id,
    failure: 'lost',
    failureNote: expect.stringMatching(/^continued by gateway [a-z2-7]{32}$/u),
  });
  await two.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'more\n' } });
  expect(await ended(two, id)).toMatchObject({ id, exitCode: 7 });
  expect((await two.gateway.call('session.log', { caller, sessionId: id })).text).toBe('first\nmore\n');
  await until(async () => (await notices(two)).length > 0, 'the notice');
  expect(await notices(two)).toEqual(['exec-exit wakes']);
  expect(await notices(back)).toEqual([]);
});

it('a gateway that returns within its lease keeps its sessions', async () => {
  const { node, gateway, cluster } = await fleet();
  const [one, two] = [await gateway(), await gateway()];
  node.connect();
  const id = await started(one, WAITS);
  const back = await one.again();
  await joined(back, cluster);
  await back.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'more\n' } });
  expect(await ended(back, id)).toMatchObject({ id, exitCode: 7 });
  await until(async () => (await notices(back)).length > 0, 'the notice');
  expect(await notices(back)).toEqual(['exec-exit wakes']);
  expect([await sessionsOf(two), await notices(two)]).toEqual([[], []]);
});

it('another gateway reports that a request of a stopped gateway was denied on its node', async () => {
  const { node, gateway, cluster } = await fleet({ tools: { exec: { security: 'allowlist', ask: 'always' } } });
  const [one, two] = [await gateway(), await gateway()];
  node.connect();
  const { command } = pending(await one.exec({ command: 'touch denied' })).binding;
  const { key } = node.calls.find(({ method }) => method === 'exec.start')!.params as { readonly key: string };
  await until(async () => (await copyOf(cluster, key))?.includes('"asked"') === true, 'the copy');
  await one.gateway.close();
  const [asked] = await node.local.gateway.call('approval.list', {});
  await node.local.gateway.call('approval.resolve', { id: asked!.id, decision: 'deny', by: 'ann' });
  await until(async () => (await notices(two)).length > 0, 'the report');
  expect(await two.gateway.call('notice.list', {})).toMatchObject([
    {
      kind: 'exec-denied',
      text: `Exec denied (node=${node.info.name} id=${asked!.id}, user-denied): ${command}`,
      approvalId: asked!.id,
      wake: true,
    },
  ]);
});

it('an end without the servers is shown at once, and reported when they are back, also after a restart', async () => {
  const { node, gateway, cluster } = await fleet();
  const one = await gateway();
  node.connect();
  const id = await started(one, WAITS);
  const { key } = node.calls.find(({ method }) => method === 'exec.start')!.params as { readonly key: string };
  expect(await copyOf(cluster, key)).toContain('"owner"');
  await cluster.kill(0);
  await one.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'more\n' } });
  expect(await ended(one, id)).toMatchObject({ id, exitCode: 7 });
  node.cut();
  const back = await one.again();
  await joined(back, cluster);
  expect(await sessionsOf(back)).toMatchObject([{ id, exitCode: 7 }]);
  expect((await back.gateway.call('session.log', { caller, sessionId: id })).text).toBe('first\nmore\n');
  await until(() => one.said(WAITING) === 1, 'the end of the first wait');
  expect(await notices(back)).toEqual([]);
  await cluster.start(0);
  await until(async () => (await notices(back)).length > 0, 'the notice');
  await until(async () => (await copyOf(cluster, key)) === undefined, 'the removal of the copy');
  const two = await gateway();
  await back.gateway.close();
  expect([await sessionsOf(two), await notices(two)]).toEqual([[], []]);
});

it('the end of a session is reported once where its gateway has lost the servers, and another one continues', async () => {
  const { node, gateway, cluster } = await fleet();
  const way = await cuttable(cluster);
  const one = await gateway(way.server);
  const two = await gateway();
  node.connect();
  const id = await started(one, WAITS);
  const { key } = node.calls.find(({ method }) => method === 'exec.start')!.params as { readonly key: string };
  await until(async () => (await copyOf(cluster, key))?.includes('"running"') === true, 'the copy');
  way.cut();
  await one.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'more\n' } });
  expect(await ended(one, id)).toMatchObject({ id, exitCode: 7 });
  await until(async () => (await notices(two)).length > 0, 'the notice of the other gateway');
  await until(() => one.said(WAITING) === 1, 'the end of the first wait');
  expect([await notices(one), await notices(two)]).toEqual([[], ['exec-exit wakes']]);
  way.mend();
  await until(() => one.said(CONNECTED) === 2, 'the connection');
  expect([await notices(one), await notices(two)]).toEqual([[], ['exec-exit wakes']]);
});

it('a command whose client was attached at a dead gateway ends, and one that its client has left continues', async () => {
  const { gateway, cluster, node } = await fleet();
  const way = await cuttable(cluster);
  const one = await gateway(way.server);
  const two = await gateway();
  node.connect();
  const attached = async (command: string): Promise<string> => {
    const outcome = await one.exec({ command }, { stdin: 'open', attached: true });
    if (!('session' in outcome)) throw new Error(JSON.stringify(outcome));
    return outcome.session.id;
  };
  const [waits, leaves] = [await attached(`${WAITS} # waits`), await attached(`${WAITS} # leaves`)];
  await one.gateway.call('session.background', { caller, sessionId: leaves });
  const keys = node.calls.flatMap(({ method, params }) =>
    method === 'exec.start' ? [(params as { readonly key: string }).key] : [],
  );
  const copies = async (): Promise<readonly boolean[]> =>
    Promise.all(keys.map(async (key) => (await copyOf(cluster, key))?.includes('"attached":true') === true));
  await until(async () => (await copies()).join() === 'true,false', 'the copies');
  way.cut();
  await until(async () => (await sessionsOf(two)).length === 2, 'the sessions at the other gateway');
  expect(await ended(two, waits)).toMatchObject({ failure: 'killed' });
  expect((await sessionsOf(two)).find(({ id }) => id === leaves)).toMatchObject({ status: 'running' });
});

it('a kill that was recorded at a gateway ends the command also when another gateway continues it', async () => {
  const { gateway, cluster, node } = await fleet();
  const way = await cuttable(cluster);
  const one = await gateway(way.server);
  const two = await gateway();
  node.connect();
  const id = await started(one, WAITS);
  const { key } = node.calls.find(({ method }) => method === 'exec.start')!.params as { readonly key: string };
  await until(async () => (await copyOf(cluster, key))?.includes('"running"') === true, 'the copy');
  way.cut();
  node.cut();
  await expect(one.gateway.call('session.kill', { caller, sessionId: id })).rejects.toThrow('the kill is recorded');
  await until(async () => (await sessionsOf(two)).length === 1, 'the session at the other gateway');
  way.mend();
  await until(() => one.said(CONNECTED) === 2, 'the connection');
  node.connect();
  expect(await ended(two, id)).toMatchObject({ failure: 'killed' });
  await until(async () => (await sessionsOf(one))[0]?.status !== 'running', 'the end of the copy');
});

/** What other gateways see of a request. */
async function copyOf({ servers, files }: NatsCluster, key: string): Promise<string | undefined> {
  const user = gatewayUser(readNatsCredentials(files.creds), newIdentity(), Date.now());
  const nats = await connectNats({ servers: servers.split(','), user, name: 'test' });
  try {
    const bucket = await Bucket.open(nats, { name: 'pin_requests', ttlMs: 31 * 86_400_000, replicas: 1 });
    return (await bucket.get(key))?.value;
  } finally {
    await closeNats(nats);
  }
}

interface Way {
  readonly server: string;
  cut(): void;
  mend(): void;
}

/** A way to the server for one gateway, which can be cut. */
async function cuttable({ servers }: NatsCluster): Promise<Way> {
  const { port, hostname } = new URL(servers);
  const open = new Set<Socket>();
  let isCut = false;
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  const proxy = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          near.destroy();
          far.destroy();
        });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    end();
  });
  return {
    server: `nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      end();
    },
    mend: () => void (isCut = false),
  };
}
