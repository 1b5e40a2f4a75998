import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { connectNats } from '../../../../src/hosts/channel/carriers/nats-connect.ts';
import { newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { machineUser } from '../../../../src/hosts/nodes/fleet/credentials.ts';

it.each(['true', '1', '"yes"', 'false'])(
  'withholds the credentials from a server without TLS that says %s',
  async (says) => {
    let heard = '';
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        heard += data.toString('latin1');
        socket.end('+OK\r\nPONG\r\n');
      });
      socket.write(`INFO {"server_id":"x","version":"2.9.10","proto":1,"max_payload":1048576,"nonce":"abcdefghijk",`);
      socket.write(`"tls_available":${says}}\r\nPONG\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const user = machineUser(newIdentity(), 'the-token');
    const { port } = server.address() as AddressInfo;
    const connecting = connectNats({ servers: [`tls://localhost:${port}`], user, name: 'test' });
    await expect(connecting).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(heard).not.toMatch(/CONNECT|the-token/u);
  },
);
