/** A gateway and the nodes `one` and `two` in network namespaces of their own: the built program between real addresses. */
import { onTestFinished } from 'vitest';
import { connectGateway } from '../../../src/apps/client/connect.ts';
import type { Client } from '../../../src/apps/client/socket.ts';
import { until } from '../../support/patience.ts';
import { type Home, PROGRAM, runPincer } from '../serve/serving.ts';
import { comparedNode, invitedNode, RUNS_ALL, startedGateway, type StartedNode } from './machines.ts';
import { type Cable, cable, type Namespace, namespace } from './namespaces.ts';

export interface NetworkNode extends StartedNode {
  readonly name: string;
  readonly cable: Cable;
  readonly namespace: Namespace;
  /** The agent of the gateway that is bound to it. */
  readonly agent: string;
}

export interface Network {
  readonly gateway: Home;
  /** The operator at the gateway. */
  readonly client: Client;
  readonly one: NetworkNode;
  readonly two: NetworkNode;
}

/** A node reconnects after 10 s at most. */
const RECONNECT_MS = 60_000;

/** `one` is paired by comparing digits and bound to the agent alpha, `two` by an invitation and bound to beta. */
export async function network(): Promise<Network> {
  const [hub, first, second] = [namespace('hub'), namespace('host-one'), namespace('host-two')];
  const [cableOne, cableTwo] = [cable(hub, first), cable(hub, second)];
  const machines = await startedGateway(
    { ...RUNS_ALL, agents: { list: [{ id: 'alpha' }, { id: 'beta' }] } },
    '0.0.0.0:0',
    hub.prefix,
  );
  const port = new URL(machines.url).port;
  const at = (address: string): string => `wss://${address}:${port}`;
  const { gateway } = machines;
  const one = await comparedNode({ gateway, url: at(cableOne.addresses[0]) }, RUNS_ALL, 'one', first.prefix);
  const invite = ['--url', at(cableTwo.addresses[0])];
  const two = await invitedNode(gateway, RUNS_ALL, 'two', second.prefix, invite);
  for (const [index, name] of ['one', 'two'].entries()) {
    await runPincer(gateway, ['config', 'set', `agents.list[${index}].tools.exec.host`, 'node']);
    await runPincer(gateway, ['config', 'set', `agents.list[${index}].tools.exec.node`, name]);
  }
  const client = await connectGateway({ stateDir: gateway.stateDir, program: PROGRAM, start: false });
  onTestFinished(() => client.close());
  return {
    gateway,
    client,
    one: { ...one, name: 'one', cable: cableOne, namespace: first, agent: 'alpha' },
    two: { ...two, name: 'two', cable: cableTwo, namespace: second, agent: 'beta' },
  };
}

/** The links of a node that the gateway has seen, each by the time and the address of its connection. */
export class ObservedLinks {
  readonly #seen = new Set<string>();
  readonly #client: Client;
  readonly #node: NetworkNode;

  constructor(client: Client, node: NetworkNode) {
    this.#client = client;
    this.#node = node;
  }

  get count(): number {
    return this.#seen.size;
  }

  async isConnected(): Promise<boolean> {
    const { connected, connectedAt, remote } = await this.#client.call('node.show', { node: this.#node.name });
    if (connected) this.#seen.add(`${connectedAt} ${remote}`);
    return connected;
  }

  /** Breaks the connection, and waits for another link. */
  async break(): Promise<void> {
    if (!(await this.isConnected())) throw new Error(`node ${this.#node.name} is not connected`);
    const before = this.count;
    this.#node.cable.breakConnections();
    const isBack = async (): Promise<boolean> => (await this.isConnected()) && this.count > before;
    await until(isBack, `link ${before + 1} of node ${this.#node.name}`, RECONNECT_MS);
  }
}
