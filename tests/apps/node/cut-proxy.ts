/** A gateway and a node over WebSocket and TLS, with a TCP proxy between them that cuts all connections on request. */
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import type { NodeWaits } from '../../../src/hosts/nodes/dispatch.ts';
import { type TestGateway, testGateway } from '../../support/gateway.ts';
import { type InvitedNode, invitedNode } from './invited-node.ts';

const ON_NODE: ConfigFile = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } };

export interface ProxiedNode extends InvitedNode {
  readonly host: TestGateway;
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
  const invited = await invitedNode(host, { url: `wss://127.0.0.1:${port}` });
  return { host, ...invited, cut };
}
