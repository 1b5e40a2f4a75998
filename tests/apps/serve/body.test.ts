import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readJson } from '../../../src/apps/serve/body.ts';
import { LONGEST_BODY, MOST_BODY_BYTES } from '../../../src/apps/serve/limits.ts';
import { until } from '../../support/patience.ts';

it('B25: a server at its budget answers 503 to a body that is not too long itself, and 413 to one that is', async () => {
  const statuses: number[] = [];
  const server = createServer((incoming, outgoing) => {
    const answer = (status: number): void => {
      statuses.push(status);
      outgoing.writeHead(status, { connection: 'close' }).end();
    };
    readJson(incoming, outgoing).then(
      (body) => answer('status' in body ? body.status : 200),
      () => {}, // cut off in the middle, at the end of the test
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json' };
  const open = () => {
    const sending = request({ port, method: 'POST', headers });
    sending.on('error', () => {}); // it is cut off below, or refused in the middle
    return sending;
  };
  const senders: ReturnType<typeof open>[] = [];
  onTestFinished(() => {
    for (const sending of senders) sending.destroy();
    server.close();
  });
  const whole = Buffer.alloc(LONGEST_BODY - 1, ' ');
  while (senders.length <= MOST_BODY_BYTES / whole.length) {
    const sending = open();
    senders.push(sending);
    sending.write(whole);
  }
  await until(() => statuses.length === 1, 'the first body that finds no room');
  expect(statuses).toEqual([503]);
  const long = open();
  senders.push(long);
  for (const sending of senders.slice(0, 8)) sending.destroy();
  long.write(Buffer.alloc(LONGEST_BODY + 1, ' '));
  await until(() => statuses.includes(413), 'the body that is too long');
});
