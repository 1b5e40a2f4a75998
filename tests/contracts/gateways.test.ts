import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { greet } from '../../src/apps/client/socket.ts';
import { PROTOCOL } from '../../src/wire/message.ts';
import { gatewayServer } from '../../src/apps/daemon/server.ts';
import { makeFolder } from '../support/folder.ts';
import { testGateway } from '../support/gateway.ts';
import { gatewayLaws, type GatewayUnderTest } from './gateway-laws.ts';

gatewayLaws('in this process', () => testGateway());
gatewayLaws('through the socket of the daemon', throughSocket);

async function throughSocket(): Promise<GatewayUnderTest> {
  const { gateway, folder } = await testGateway();
  const build = { version: '1', time: 1 };
  const server = gatewayServer({ gateway, build, leave: () => {}, log: () => {} });
  const socket = join(makeFolder(), 's');
  await server.listen(socket);
  const client = await greet(connect(socket), { ...build, protocol: PROTOCOL });
  onTestFinished(() => {
    client.close();
    server.stopListening();
    server.close();
  });
  return { gateway: client, folder };
}
