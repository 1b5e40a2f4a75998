/** A gateway and a node over WebSocket and TLS, with a TCP proxy between them that cuts all connections on request. */
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { connectNode } from '../../../src/apps/node/connection.ts';
import { nodeKeysIn } from '../../../src/hosts/identity/node-keys.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { dialWebSocket } from '../../../src/hosts/channel/carriers/websocket.ts';
import { parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import type { NodeWaits } from '../../../src/hosts/nodes/dispatch.ts';
import { type TestGateway, testGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { linkedNode, type LinkedNode, OPEN } from './linked-node.ts';

const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };

export interface ProxiedNode {
  readonly host: TestGateway;
  readonly node: LinkedNode;
  /** How often the node has connected. */
  readonly links: () => number;
  readonly cut: () => void;
}

async function proxyTo(port: number): Promise<{ readonly port: number; readonly cut: () => void }> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return { port: (server.address() as AddressInfo).port, cut };
}

export async function proxiedNode(nodeWaits: NodeWaits = {}): Promise<ProxiedNode> {
  const host = await testGateway(ON_NODE, { nodeWaits });
  const url = await host.gateway.listenForNodes({ host: '127.0.0.1', port: 0, tls: 'own' });
  const { port, cut } = await proxyTo(Number(new URL(url).port));
  const proxied = `wss://127.0.0.1:${port}`;
  const { invitation } = await host.gateway.call('node.invite', { by: 'test', url: proxied });
  const node = await linkedNode(OPEN);
  let links = 0;
  const instance = randomUUID();
  const connection = connectNode({
    url: proxied,
    keys: nodeKeysIn(node.stateDir),
    store: node.store,
    calls: node.calls,
    invitation: parseInvitation(invitation),
    hello: async () => ({
      version: '1',
      name: 'n',
      platform: 'linux',
      offer: { exec: 'judged', files: 'none', pty: true },
      instance,
    }),
    dial: (address, signal) => dialWebSocket(address, { signal, rejectUnauthorized: false }),
    firstDelayMs: 2,
    longestDelayMs: 20,
    onState: ({ state }) => {
      if (state === 'connected') links++;
    },
  });
  onTestFinished(() => connection.close());
  await until(() => links === 1, 'the first link');
  return { host, node, links: () => links, cut };
}
