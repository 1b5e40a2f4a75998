// @ts-check
/** Receives messages and reports when all expected bytes are here. */
import { createServer } from 'node:https';
import { WebSocketServer } from 'ws';

let expected = Number.POSITIVE_INFINITY;
let received = 0;
const check = () => {
  if (received < expected) return;
  received = 0;
  expected = Number.POSITIVE_INFINITY;
  process.send?.({ done: true });
};
const server = createServer({ ...JSON.parse(process.env['TLS'] ?? ''), minVersion: 'TLSv1.3' });
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('message', (/** @type {Buffer} */ data) => {
    received += data.length;
    check();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('message', (/** @type {{ bytes?: number, memory?: true }} */ { bytes, memory }) => {
  if (memory === true) process.send?.({ rss: process.memoryUsage.rss() / 2 ** 20 });
  if (bytes === undefined) return;
  expected = bytes;
  check();
});
