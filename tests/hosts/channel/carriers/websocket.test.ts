import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type Carrier, LONGEST_CARRIED } from '../../../../src/hosts/channel/carriers/carrier.ts';
import {
  dialWebSocket,
  type ListenOptions,
  listenWebSocket,
} from '../../../../src/hosts/channel/carriers/websocket.ts';
import { selfSignedCertificate } from '../../../../src/hosts/identity/certificate.ts';
import { acceptNode, type Decision, greetGateway } from '../../../../src/hosts/identity/handshake.ts';
import { newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { openLink } from '../../../../src/hosts/channel/link.ts';
import type { NodeHello } from '../../../../src/wire/nodes/node.ts';
import { receive } from '../../../contracts/carrier-laws.ts';
import { until } from '../../../support/patience.ts';

const tls = selfSignedCertificate();
const HELLO: NodeHello = {
  version: '1',
  name: 'mac',
  platform: 'linux',
  offer: { exec: 'judged', files: 'none', pty: true },
  instance: 'instance-1',
};
const NO_CHECK = { rejectUnauthorized: false };

/** A listener on loopback, and what it accepted. */
async function listen(options: Partial<ListenOptions> = {}) {
  const carriers: Carrier[] = [];
  const logged: string[] = [];
  const listener = await listenWebSocket({
    host: '127.0.0.1',
    port: 0,
    tls,
    connection: async (carrier) => void carriers.push(carrier),
    log: (text) => void logged.push(text),
    ...options,
  });
  onTestFinished(async () => {
    for (const carrier of carriers) carrier.close('the test has finished');
    await listener.close();
  });
  return { listener, carriers, logged, url: `wss://127.0.0.1:${listener.port}` };
}

function rawClient(url: string, options: object = {}): WebSocket {
  const socket = new WebSocket(url, { rejectUnauthorized: false, perMessageDeflate: false, ...options });
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  return socket;
}

const opened = (socket: WebSocket): Promise<unknown> => new Promise((resolve) => socket.once('open', resolve));
const closed = (socket: WebSocket | Socket): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));

/** Sends bytes without WebSocket. Returns all that came back. */
async function sendRaw(port: number, text: string | Uint8Array, isTls: boolean): Promise<string> {
  const socket = isTls ? connectTls({ port, host: '127.0.0.1', ...NO_CHECK }) : connectTcp(port, '127.0.0.1');
  let back = '';
  socket.on('error', () => undefined).on('data', (bytes) => (back += bytes.toString('latin1')));
  socket.write(text);
  await closed(socket);
  return back;
}

/** The listener still serves others. */
async function expectServing(url: string, carriers: readonly Carrier[]): Promise<void> {
  const before = carriers.length;
  const carrier = await dialWebSocket(url, NO_CHECK);
  await until(() => carriers.length > before, 'the connection');
  carrier.close('done');
}

describe('a hostile peer', () => {
  it('ends its own connection with a message that is too long, and nothing else', async () => {
    const { carriers, url } = await listen();
    const client = rawClient(url);
    await opened(client);
    await until(() => carriers.length === 1, 'the connection');
    const received = receive(carriers[0]!);
    client.send(new Uint8Array(LONGEST_CARRIED + 1));
    await until(() => received.down.length > 0, 'the end');
    expect(received).toEqual({ messages: [], rooms: 0, down: ['Max payload size exceeded'] });
    await expectServing(url, carriers);
  });

  it('cannot send text', async () => {
    const { carriers, url } = await listen();
    const client = rawClient(url);
    await opened(client);
    await until(() => carriers.length === 1, 'the connection');
    const received = receive(carriers[0]!);
    client.send('text');
    await until(() => received.down.length > 0, 'the end');
    expect(received.messages).toEqual([]);
  });

  it('cannot send an invalid frame, a reset or a reason with control characters to any effect', async () => {
    const { carriers, url } = await listen();
    const [first, second, third] = [rawClient(url), rawClient(url), rawClient(url)];
    await Promise.all([opened(first), opened(second), opened(third)]);
    await until(() => carriers.length === 3, 'the connections');
    const received = carriers.map((carrier) => receive(carrier));
    const socketOf = (client: WebSocket): Socket => (client as unknown as Record<string, Socket>)['_socket']!;
    socketOf(first).write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    socketOf(second).destroy();
    third.close(1000, 'a\u001b[2Jb');
    await until(() => received.every(({ down }) => down.length === 1), 'the ends');
    expect(received.flatMap(({ down }) => down).filter((reason) => /\p{Cc}/u.test(reason))).toEqual([]);
    await expectServing(url, carriers);
  });

  it.each([
    ['plain text instead of TLS', 'GET / HTTP/1.1\r\n\r\n', false],
    ['random bytes instead of TLS', Buffer.alloc(1000, 0xa5), false],
    ['random bytes instead of HTTP', Buffer.alloc(1000, 0xa5), true],
    ['a header that is too long', `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`, true],
    ['an upgrade to something else', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', true],
  ] as const)('is disconnected after %s', async (_name, bytes, isTls) => {
    const { listener, carriers, url } = await listen();
    const answer = await sendRaw(listener.port, bytes, isTls);
    expect(answer).not.toMatch(/^HTTP\/1\.1 [123]/u);
    expect(carriers).toEqual([]);
    await expectServing(url, carriers);
  });

  it('gets no page', async () => {
    const { listener } = await listen();
    expect(await sendRaw(listener.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n', true)).toMatch(
      /^HTTP\/1\.1 426 Upgrade Required\r\n/u,
    );
  });

  it('cannot be a page in a browser', async () => {
    const { carriers, url } = await listen();
    await closed(rawClient(url, { origin: 'https://example.com' }));
    expect(carriers).toEqual([]);
  });

  it('cannot send more than a few kilobytes before it is proved', async () => {
    let received = 0;
    const { url, logged } = await listen({
      connection: (carrier) =>
        new Promise((resolve) => {
          carrier.on({ message: (bytes) => void (received += bytes.length), room() {}, down: resolve });
        }),
    });
    const client = rawClient(url);
    await opened(client);
    const end = closed(client);
    for (let i = 0; i < 200; i++) client.send(new Uint8Array(4096));
    await end;
    expect(received).toBeLessThan(100 * 1024); // one read of the socket
    expect(logged).toEqual([expect.stringMatching(/: disconnected after more than 16384 bytes in the handshake$/u)]);
  });

  it('cannot use more than a number of connections at the same time', async () => {
    const { listener, carriers, url } = await listen({ mostHandshakes: 3 });
    const silent = Array.from({ length: 3 }, () => connectTcp(listener.port, '127.0.0.1'));
    onTestFinished(() => {
      for (const socket of silent) socket.destroy();
    });
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await expect(dialWebSocket(url, NO_CHECK)).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    silent[0]!.destroy();
    await until(
      () =>
        dialWebSocket(url, NO_CHECK).then(
          (carrier) => {
            carrier.close('done');
            return true;
          },
          () => false,
        ),
      'a free slot',
    );
    expect(carriers).toHaveLength(1);
  });
});

describe('a connection', () => {
  it('stays open when its handshake is over, however many follow', async () => {
    const { carriers, url } = await listen({ mostHandshakes: 2 });
    const dialed: Carrier[] = [];
    for (let i = 0; i < 6; i++) {
      dialed.push(await dialWebSocket(url, NO_CHECK));
      await until(() => carriers.length === i + 1, 'the connection');
    }
    const received = carriers.map((carrier) => receive(carrier));
    for (const carrier of dialed) carrier.send(Buffer.alloc(100_000));
    await until(() => received.every(({ messages }) => messages.length === 1), 'messages of all');
  });

  it('is closed and logged when the handshake fails', async () => {
    const { url, logged } = await listen({ connection: () => Promise.reject(new Error('no such node')) });
    const received = receive(await dialWebSocket(url, NO_CHECK));
    await until(() => received.down.length > 0, 'the end');
    expect([received.down, logged]).toEqual([['the handshake failed'], [expect.stringMatching(/: no such node$/u)]]);
  });

  it('is closed when the listener closes', async () => {
    const { url, listener } = await listen();
    const received = receive(await dialWebSocket(url, NO_CHECK));
    await listener.close();
    await until(() => received.down.length > 0, 'the end');
    expect(received.down).toEqual(['the gateway ends']);
  });

  it.each([
    ['ws://example.com:7443', 'NODE_INSECURE', 'ws://example.com:7443 is not encrypted'],
    ['ws://127.0.0.1.example.com', 'NODE_INSECURE', 'ws://127.0.0.1.example.com is not encrypted'],
    ['https://127.0.0.1', 'NODE_INSECURE', '"https://127.0.0.1" is not an address'],
    ['nonsense', 'NODE_INSECURE', '"nonsense" is not an address'],
    ['wss://127.0.0.1:1', 'NODE_UNREACHABLE', 'no program listens at 127.0.0.1:1 (ECONNREFUSED)'],
  ])('to %s is refused', async (url, code, message) => {
    await expect(dialWebSocket(url, NO_CHECK)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['wss', 'HTTP', 'the port answers without TLS, so it is not the port for nodes', 'nodes.listen'],
    ['ws', 'HTTP', 'the port answers HTTP (status 200), so it is not the port for nodes', 'nodes.listen'],
    ['ws', 'nothing', 'the port closed the connection, and may need TLS', 'use wss://'],
  ])('by %s to a server that speaks %s says what is wrong', async (scheme, speaks, why, hint) => {
    const server =
      speaks === 'HTTP'
        ? createHttpServer((_request, response) => void response.end('hello'))
        : createTcpServer((socket) => void socket.destroy());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(dialWebSocket(url, NO_CHECK)).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      message: `cannot connect to ${url}: ${why}`,
      hint: expect.stringContaining(hint),
    });
  });

  it('to a self-signed certificate is refused where certificates are verified', async () => {
    const { url } = await listen();
    await expect(dialWebSocket(url, { rejectUnauthorized: true })).rejects.toMatchObject({ code: 'NODE_CERTIFICATE' });
    const plain = url.replace('wss:', 'ws:');
    await expect(dialWebSocket(plain, { rejectUnauthorized: true })).rejects.toMatchObject({ code: 'NODE_INSECURE' });
  });

  it('can be aborted', async () => {
    const { url } = await listen();
    const controller = new AbortController();
    const dialing = dialWebSocket(url, { ...NO_CHECK, signal: controller.signal });
    await Promise.resolve();
    controller.abort(new Error('not wanted any more'));
    await expect(dialing).rejects.toThrow('not wanted any more');
    await expect(dialWebSocket(url, { ...NO_CHECK, signal: controller.signal })).rejects.toThrow('not wanted');
  });
});

describe('a listener', () => {
  it.each([
    [['h2', 'http/1.1'], 'http/1.1'],
    [['h2'], 'refused'],
    [undefined, false],
  ])('answers a client that offers the protocols %j with %j', async (ALPNProtocols, chosen) => {
    const { listener } = await listen();
    const offered = ALPNProtocols === undefined ? {} : { ALPNProtocols };
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ...NO_CHECK, ...offered });
    const answer = new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(socket.alpnProtocol)).once('error', () => resolve('refused'));
    });
    expect(await answer).toBe(chosen);
    socket.destroy();
  });

  it('needs TLS outside of loopback', async () => {
    const options = { host: '0.0.0.0', port: 0, connection: async () => undefined, log: () => undefined };
    await expect(listenWebSocket(options)).rejects.toMatchObject({
      code: 'NODE_INSECURE',
      message: 'a listener on 0.0.0.0 needs TLS',
    });
  });

  it('reports a port that is in use', async () => {
    const { listener } = await listen();
    await expect(listen({ port: listener.port })).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      message: expect.stringContaining('EADDRINUSE'),
    });
  });
});

describe('a handshake over TLS', () => {
  const gateway = newIdentity();
  const welcome = async (): Promise<Decision> => ({ answer: 'welcome', epoch: 'epoch-0001' });

  it('ends in a link', async () => {
    const { url } = await listen({
      connection: async (carrier) => {
        await acceptNode(carrier, gateway, welcome, { version: '1' });
        openLink(carrier, { epoch: 'epoch-0001', side: 'acceptor', serve: async ({ params }) => params });
      },
    });
    const carrier = await dialWebSocket(url, NO_CHECK);
    const { isBound, welcome: heard } = await greetGateway(carrier, newIdentity(), HELLO, { expected: gateway.id });
    const link = openLink(carrier, { epoch: (await heard).epoch, side: 'opener' });
    const params = { text: 'x'.repeat(3_000_000) };
    expect([isBound, await link.channel.call('echo', params)]).toEqual([true, params]);
    link.close('done');
  });

  it('fails through a machine in the middle, which relays everything with its own certificate', async () => {
    const asked: string[] = [];
    const real = await listen({
      connection: (carrier) =>
        acceptNode(
          carrier,
          gateway,
          async ({ id }) => {
            asked.push(id);
            return welcome();
          },
          { version: '1' },
        ).catch(() => undefined),
    });
    const middle = await listen({
      tls: selfSignedCertificate(),
      connection: async (victim) => {
        const onward = await dialWebSocket(real.url, NO_CHECK);
        const relay = (from: Carrier, to: Carrier): void =>
          from.on({ message: (bytes) => void to.send(bytes), room() {}, down: (reason) => to.close(reason) });
        relay(victim, onward);
        relay(onward, victim);
      },
    });
    const carrier = await dialWebSocket(middle.url, NO_CHECK);
    await expect(greetGateway(carrier, newIdentity(), HELLO)).rejects.toMatchObject({
      code: 'NODE_IDENTITY',
      message: 'the gateway did not prove its key for this connection',
    });
    expect(asked).toEqual([]);
  });
});
