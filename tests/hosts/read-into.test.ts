import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { selfSignedCertificate } from '../../src/hosts/identity/certificate.ts';
import { readInto } from '../../src/hosts/read-into.ts';
import { eventLoopTurns, until } from '../support/patience.ts';

async function accepted(isTls: boolean): Promise<readonly [client: Socket, server: Socket]> {
  const server = isTls ? createTlsServer(selfSignedCertificate()) : createServer();
  const arrival = once(server, isTls ? 'secureConnection' : 'connection') as Promise<[Socket]>;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = isTls ? connectTls({ port, rejectUnauthorized: false }) : connect(port);
  const [socket] = await arrival;
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  return [client, socket];
}

it.each([true, false])('an accepted socket reads into one buffer, pauses and ends (TLS: %s)', async (isTls) => {
  const [client, socket] = await accepted(isTls);
  const buffer = Buffer.alloc(1000);
  let text = '';
  let goOn = false;
  let ends = 0;
  const isRead = readInto(socket, buffer, (length) => {
    text += buffer.toString('latin1', 0, length);
    return goOn;
  });
  socket.on('end', () => ends++).resume();
  client.write('first');
  await until(() => text === 'first', 'the first bytes');
  client.end('second '.repeat(1000));
  await eventLoopTurns(50);
  const whilePaused = text;
  goOn = true;
  socket.resume();
  await until(() => ends === 1, 'the end');
  expect({ isRead, whilePaused, text }).toEqual({
    isRead: true,
    whilePaused: 'first',
    text: `first${'second '.repeat(1000)}`,
  });
});

it('a socket in which bytes wait is not changed', async () => {
  const [client, socket] = await accepted(false);
  socket.pause();
  socket.read(0);
  client.write('bytes');
  await until(() => socket.readableLength > 0, 'the bytes');
  expect(readInto(socket, Buffer.alloc(10), () => true)).toBe(false);
  const data = once(socket, 'data');
  socket.resume();
  const [bytes] = (await data) as [Buffer];
  expect(bytes.toString()).toBe('bytes');
});
