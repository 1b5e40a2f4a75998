import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openChannel } from '../../src/hosts/channel/channel.ts';
import type { EgressConnection, EgressRefusal } from '../../src/hosts/sandbox/egress/egress.ts';
import { Proxy } from '../../src/runner/egress/proxy.ts';
import { fillStream } from '../support/fill-stream.ts';
import { launchOf, run, stage } from '../support/launching.ts';
import { eventLoopTurns, until } from '../support/patience.ts';
import { startInside } from './started.ts';

/** A server that stands for the network; closed when the test has finished. */
async function listen(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

let nextPort = 10_000 + (process.pid % 1000) * 20;

/** A port that nothing listens on, nor will: it is none of those that a system gives out by itself, nor another process's. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

/** An agent with a way out to names that all lead to this machine. */
async function startWithProxy(allow: readonly string[], maxConnections = 64) {
  const proxyPort = await freePort();
  const refused: EgressRefusal[] = [];
  const allowed: EgressConnection[] = [];
  const inside = await startInside({
    egress: {
      allow,
      proxyPort,
      maxConnections,
      onRefused: (refusal) => refused.push(refusal),
      onAllowed: (connection) => allowed.push(connection),
      resolve: async (name) => (name.startsWith('private.') ? ['10.0.0.1'] : ['127.0.0.1']),
      permitted: (address) => address === '127.0.0.1',
    },
  });
  await inside.link.ready;
  await inside.link.ping(); // it listens by then
  return { ...inside, proxyPort, refused, allowed };
}

/** Says something to the proxy, and gives all that comes back until the end. */
function ask(port: number, said: string | Buffer, keepOpen = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (part) => (text += part));
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
    if (keepOpen) socket.write(said);
    else socket.end(said);
  });
}

const echo = () => createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));

test('CONNECT opens a tunnel to a name that is allowed, and to nothing else', async () => {
  const port = await listen(echo());
  const { proxyPort, refused, allowed, broken } = await startWithProxy([
    `api.example.com:${port}`,
    `private.example.com:${port}`,
  ]);
  const tunnel = await ask(proxyPort, `CONNECT api.example.com:${port} HTTP/1.1\r\nHost: x\r\n\r\nhello`);
  expect(tunnel).toBe('HTTP/1.1 200 Connection established\r\n\r\nhello');
  expect(allowed).toEqual([{ host: 'api.example.com', port, address: '127.0.0.1', untold: 0 }]);
  for (const [target, status] of [
    [`evil.test:${port}`, 403],
    [`api.example.com:${port + 1}`, 403],
    [`127.0.0.1:${port}`, 403],
    [`private.example.com:${port}`, 403],
  ])
    expect(await ask(proxyPort, `CONNECT ${target} HTTP/1.1\r\n\r\n`, true)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} `, 'u'),
    );
  expect(refused.map(({ host, reason }) => [host, reason])).toEqual([
    ['evil.test', 'not-allowed'],
    ['api.example.com', 'not-allowed'],
    ['127.0.0.1', 'not-allowed'],
    ['private.example.com', 'not-public'],
  ]);
  expect(broken).toEqual([]);
});

test('a request with an absolute URL reaches its server as a plain one', async () => {
  const port = await listen(
    createHttpServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () =>
        response.end(
          JSON.stringify([
            request.method,
            request.url,
            request.headers['host'],
            request.headers['proxy-authorization'],
            body,
          ]),
        ),
      );
    }),
  );
  const { proxyPort } = await startWithProxy([`*.example.com:${port}`]);
  const head = `POST http://www.example.com:${port}/a?b=c HTTP/1.1\r\nHost: www.example.com\r\nProxy-Authorization: x\r\nContent-Length: 4\r\n\r\nbody`;
  const answer = await ask(proxyPort, head, true);
  expect(answer).toMatch(/^HTTP\/1.1 200 OK/u);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4).replace(/^.*?(\[.*\]).*$/su, '$1'))).toEqual([
    'POST',
    '/a?b=c',
    'www.example.com',
    null,
    'body',
  ]);
  expect(await ask(proxyPort, `GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n`, true)).toMatch(
    /^HTTP\/1.1 403 /u,
  );
  expect(await ask(proxyPort, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', true)).toMatch(/^HTTP\/1.1 400 /u);
});

test('SOCKS 5 takes names and addresses', async () => {
  const port = await listen(echo());
  const { proxyPort } = await startWithProxy([`api.example.com:${port}`]);
  const name = Buffer.from('api.example.com');
  const portBytes = Buffer.from([port >> 8, port & 255]);
  const hello = Buffer.from([5, 1, 0]);
  const byName = Buffer.concat([hello, Buffer.from([5, 1, 0, 3, name.length]), name, portBytes, Buffer.from('hi')]);
  expect(await ask(proxyPort, byName)).toBe('\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00hi');
  const byAddress = Buffer.concat([hello, Buffer.from([5, 1, 0, 1, 127, 0, 0, 1]), portBytes]);
  expect(await ask(proxyPort, byAddress, true)).toBe('\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00');
  expect(await ask(proxyPort, Buffer.from([5, 1, 2]), true)).toBe('\x05\xff');
});

test('a server that does not answer is distinguished from one that is not allowed', async () => {
  const port = await freePort();
  const { proxyPort, refused } = await startWithProxy([`api.example.com:${port}`]);
  expect(await ask(proxyPort, `CONNECT api.example.com:${port} HTTP/1.1\r\n\r\n`, true)).toMatch(/^HTTP\/1.1 502 /u);
  expect(refused).toEqual([{ host: 'api.example.com', port, reason: 'unreachable', untold: 0 }]);
});

test('megabytes pass in both directions and arrive whole, while commands go on', async () => {
  let come: (socket: Socket) => void = () => {};
  const came = new Promise<Socket>((resolve) => {
    come = resolve;
  });
  const port = await listen(createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => come(socket)));
  const { proxyPort, link } = await startWithProxy([`api.example.com:${port}`]);
  const megabytes = Buffer.alloc(5_000_000, 'abcdefghijk');
  const said = Buffer.concat([Buffer.from(`CONNECT api.example.com:${port} HTTP/1.1\r\n\r\n`), megabytes]);
  const answered = ask(proxyPort, said);
  const server = await came;
  await link.ping(); // while they are under way: nothing is taken in there yet
  server.pipe(server);
  const answer = await answered;
  expect(answer.slice(answer.indexOf('\r\n\r\n') + 4) === megabytes.toString('latin1')).toBe(true);
});

test('a program that reads slowly gets the end of a connection that is over by then', async () => {
  const [left, right] = duplexPair();
  let sent = 0;
  openChannel(left, {
    trust: 'same-build',
    side: 'acceptor',
    lost: (reason) => new Error(reason),
    serve: async ({ streams, event }) => {
      const outgoing = streams.outgoing('net');
      streams.incoming('net', { deliver: () => true, ended: () => {} });
      event({ type: 'connected' });
      sent = await fillStream(outgoing);
      outgoing.end();
      return { end: 'closed' };
    },
  });
  const channel = openChannel(right, { trust: 'same-build', side: 'opener', lost: (reason) => new Error(reason) });
  const port = await freePort();
  const proxy = new Proxy(channel, { port, mostConnections: 1 });
  await proxy.opened;
  const program = connect(port, '127.0.0.1');
  onTestFinished(() => {
    program.destroy();
    proxy.close();
  });
  program.end('CONNECT a.example.com:443 HTTP/1.1\r\n\r\nhello');
  await until(() => sent > 0, 'the answer of the gateway');
  await eventLoopTurns(); // it has arrived
  let received = 0;
  program.on('data', (bytes) => (received += bytes.length));
  await new Promise((resolve) => program.once('end', resolve));
  expect(received).toBe('HTTP/1.1 200 Connection established\r\n\r\n'.length + sent);
});

test('a server that ends a connection, and a program that does, end it on the other side', async () => {
  const ended: string[] = [];
  const port = await listen(
    createServer((socket) => {
      socket.on('data', (bytes) => {
        if (String(bytes) === 'go') socket.destroy();
      });
      socket.once('close', () => ended.push('server'));
      socket.on('error', () => {});
    }),
  );
  const { proxyPort, broken, link } = await startWithProxy([`api.example.com:${port}`], 2);
  for (let i = 0; i < 6; i++) {
    // Of two at a time there are six: what is over is counted no more.
    expect(await ask(proxyPort, `CONNECT api.example.com:${port} HTTP/1.1\r\n\r\ngo`, true)).toMatch(
      /^HTTP\/1.1 200 /u,
    );
    await link.ping();
  }
  expect([ended, broken]).toEqual([Array.from({ length: 6 }, () => 'server'), []]);
});

test('more connections than are allowed at once are refused', async () => {
  const port = await listen(echo());
  const { proxyPort, refused } = await startWithProxy([`api.example.com:${port}`], 1);
  const first = connect(proxyPort, '127.0.0.1');
  first.on('error', () => {}); // the proxy may end with a reset
  first.write(`CONNECT api.example.com:${port} HTTP/1.1\r\n\r\n`);
  await new Promise((resolve) => first.once('data', resolve));
  expect(await ask(proxyPort, `CONNECT api.example.com:${port} HTTP/1.1\r\n\r\n`, true)).toMatch(/^HTTP\/1.1 403 /u);
  expect(refused.map(({ reason }) => reason)).toEqual(['too-many']);
  first.destroy();
});

test('the proxy is open for a command that starts immediately', async () => {
  for (let i = 0; i < 10; i++) {
    const proxyPort = await freePort();
    const { link } = await startInside({ egress: { allow: [], proxyPort } });
    const script = `exec 3<>/dev/tcp/127.0.0.1/${proxyPort} && echo open`;
    const { end } = await run(link.launcher, launchOf([stage('/bin/bash', '-c', script)]));
    expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'open\n', err: '' });
  }
});

test('a flood of refusals is counted and not reported one by one', async () => {
  const began = performance.now();
  const { proxyPort, refused, broken } = await startWithProxy(['api.example.com']);
  for (let i = 0; i < 12; i++)
    await Promise.all(Array.from({ length: 10 }, () => ask(proxyPort, 'CONNECT evil.test:443 HTTP/1.1\r\n\r\n', true)));
  // Fifty at once, and five more in each second.
  expect(refused.length).toBeLessThanOrEqual(50 + Math.ceil((performance.now() - began) / 200));
  expect(refused.length).toBeGreaterThanOrEqual(50);
  expect(broken).toEqual([]);
});
