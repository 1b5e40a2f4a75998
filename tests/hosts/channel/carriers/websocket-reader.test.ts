import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { WebSocketReader } from '../../../../src/hosts/channel/carriers/websocket-reader.ts';

it('reads past the package ws, whose receiver has no documented name', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    socket.terminate();
    server.close();
  });
  const [{ socket: stream }] = (await once(socket, 'upgrade')) as [{ socket: Socket }];
  if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');
  expect(WebSocketReader.of({ socket, stream, isServer: false, message: () => undefined })).toBeDefined();
});
