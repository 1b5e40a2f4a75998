/** Two gateways on a NATS server, and a node that both reach. */
import { expect, it } from 'vitest';
import type { ConfigFile } from '../../../../src/config/schema/schema.ts';
import type { GatewayOptions } from '../../../../src/hosts/gateway/gateway.ts';
import { ended, notices, type TestGateway, testGateway } from '../../../support/gateway.ts';
import { type NatsCluster, natsCluster } from '../../../support/nats-cluster.ts';
import { type MemoryNode, type MemoryNodes, memoryNodes } from '../../../support/nodes.ts';
import { until } from '../../../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };
const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };
const LEASE_MS = 1500;

interface Fleet {
  readonly cluster: NatsCluster;
  readonly node: MemoryNode;
  gateway(more?: Partial<GatewayOptions>): Promise<TestGateway>;
}

async function fleet(): Promise<Fleet> {
  const cluster = await natsCluster();
  const memory: MemoryNodes = memoryNodes(true);
  const node = await memory.add();
  return {
    cluster,
    node,
    async gateway(more = {}) {
      const nodeWaits = { reconnectMs: 20, retryMs: 5, leaseMs: LEASE_MS };
      const made = await testGateway(ON_NODE, { nodes: memory.nodes, nodeWaits, log: (t) => console.log(t), ...more });
      await joined(made, cluster);
      return made;
    },
  };
}

function joined({ gateway }: TestGateway, { servers, files }: NatsCluster): Promise<void> {
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
  expect(await notices(two)).toEqual(['exec-exit wakes']);
  expect(await notices(back)).toEqual([]);
});
