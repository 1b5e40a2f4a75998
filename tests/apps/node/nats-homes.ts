/** Gateways and nodes on a NATS server, each a process of the built program. */
import type { NatsCluster } from '../../support/nats-cluster.ts';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { gatewayIn, home, json, RUNS_ALL, type Running, started, type StartedNode } from './machines.ts';

export interface NatsGatewayHome {
  readonly gateway: Home;
  readonly running: Running;
}

/** `creds`: those of a further gateway cannot revoke. */
export async function natsGateway(
  { servers, files }: NatsCluster,
  more: object = {},
  prefix: readonly string[] = [],
  creds: string = files.creds,
): Promise<NatsGatewayHome> {
  const nats = { servers: servers.split(','), creds };
  const gateway = home({ ...RUNS_ALL, gateway: { cluster: { nats } }, ...more });
  return { gateway, running: await gatewayIn(gateway, prefix) };
}

export async function invited(gateway: Home, more: readonly string[] = []): Promise<string> {
  return ((await json(gateway, ['nodes', 'invite', ...more])) as { invitation: string }).invitation;
}

export async function natsNode(
  gateway: Home,
  config: object = RUNS_ALL,
): Promise<StartedNode & { readonly invitation: string }> {
  const node = home(config);
  const invitation = await invited(gateway);
  const args = ['node', 'run', '--invitation', invitation, '--name', 'n', '--workspace', node.workspace];
  const running = started(node, args);
  await until(() => running.state() === 'connected', `the connection: ${running.stderr()}`);
  return { node, running, invitation };
}

export const onNode = (gateway: Home, ...command: readonly string[]) =>
  runPincer(gateway, ['exec', '--host', 'node', '--', ...command]);
