/** Programs between a page and its server: one that took the port of the stopped server, and a forwarded port. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket as Client, WebSocketServer } from 'ws';
import { Connection, type ConnectionListener } from '../../../../src/page/socket/connection.ts';
import { until } from '../../../support/patience.ts';
import { openPage, PageClient, type PageServer, pageServer, type Secrets } from './page-client.ts';

/** A server that stopped on one port and runs on another one, because a hostile program has taken the first. */
async function movedServer() {
  const first = await pageServer();
  const secrets = await first.logIn('operator');
  await first.stop();
  const relay = await relayTo(first.port);
  const second = await pageServer(undefined, first.home);
  onTestFinished(() => second.close());
  relay.target = second;
  return { first, second, secrets, relay };
}

/** Passes all messages on, with the headers that the server on the other port accepts. */
async function relayTo(port: number) {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await once(server, 'listening');
  const relay = { target: undefined as PageServer | undefined, fromPage: [] as string[], fromServer: [] as string[] };
  const typeOf = (data: Buffer): string => (JSON.parse(String(data)) as { type: string }).type;
  server.on('connection', (page, { headers }) => {
    const target = relay.target!.port;
    const cookie = String(headers.cookie).replace(`pincer_page_${port}=`, `pincer_page_${target}=`);
    const own = `127.0.0.1:${port}`;
    const upstream = new Client(`ws://127.0.0.1:${target}/page/socket`, {
      origin: `http://${own}`,
      headers: { host: own, cookie },
    });
    const opened = once(upstream, 'open');
    page.on('message', (data: Buffer) => {
      relay.fromPage.push(typeOf(data));
      void opened.then(() => upstream.send(String(data)));
    });
    upstream.on('message', (data: Buffer) => {
      relay.fromServer.push(typeOf(data));
      page.send(String(data));
    });
    upstream.on('close', () => page.close());
    page.on('close', () => upstream.terminate());
  });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return relay;
}

/** The connection of the real page, as an open tab has it. */
function tabOf({ base, port }: PageServer, { cookie, key }: Secrets) {
  const heard: string[] = [];
  const hears = (name: keyof ConnectionListener) => () => void heard.push(name);
  const listener = Object.fromEntries(
    (['welcome', 'reset', 'event', 'clock', 'heard', 'unreadable', 'lost', 'loggedOut', 'unknownBrowser'] as const).map(
      (name) => [name, hears(name)],
    ),
  ) as unknown as ConnectionListener;
  const connection = new Connection(
    {
      open: () =>
        new Client(`${base.replace('http', 'ws')}/page/socket`, { origin: base, headers: { cookie } }) as never,
      key: () => key,
      origin: () => base,
      port: () => port,
      now: () => 0,
      random: () => 0,
    },
    { ...listener, unprovenServer: hears('unprovenServer') },
  );
  onTestFinished(() => connection.end());
  connection.connect();
  return heard;
}

it('a tab gives no proof to a program on its port that passes its messages on to the server on another one', async () => {
  const { first, secrets, relay } = await movedServer();
  const heard = tabOf(first, secrets);
  await until(() => heard.length > 0, 'the end of the handshake');
  expect(heard).toEqual(['unprovenServer']);
  expect([relay.fromPage, relay.fromServer]).toEqual([['hello'], ['challenge']]);
});

it('a server refuses the proof for the port that it had before', async () => {
  const { first, secrets, relay } = await movedServer();
  const page = new PageClient(first, { cookie: secrets.cookie });
  await page.prove(secrets.key);
  expect(await page.ended()).toMatchObject({ reason: '' });
  expect(relay.fromServer).toEqual(['challenge', 'logged-out']);
});

it('a login ends with the port of its server: a browser logs in again', async () => {
  const { second, secrets } = await movedServer();
  const page = new PageClient(second, { cookie: secrets.cookie });
  expect((await page.ended()).code).toBe(4401);
  expect(page.messages).toEqual([{ type: 'logged-out', reason: 'this browser is not logged in' }]);
  (await openPage(second, await second.logIn('operator'))).close();
});

it('a page works through a forwarded port, with the port of its server in the proof', async () => {
  const server = await pageServer();
  onTestFinished(() => server.close());
  const tunnel = createServer((socket) => {
    const upstream = connect(server.port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream])
      end.on('error', () => {}).on('close', () => [socket, upstream].map((each) => each.destroy()));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void tunnel.close());
  await once(tunnel, 'listening');
  const base = `http://127.0.0.1:${(tunnel.address() as AddressInfo).port}`;
  const { pathname, search } = new URL(await server.link('operator'));
  const answer = await fetch(`${base}${pathname}${search}`);
  const text = await answer.text();
  const [, key = ''] = /<meta name="pincer-key" content="([\w-]+)">/u.exec(text) ?? [];
  expect(text).toContain(`<meta name="pincer-port" content="${server.port}">`);
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  const page = new PageClient({ base }, { cookie, loginPort: server.port });
  expect(await page.hello(key)).toMatchObject({ login: { role: 'operator' } });
  page.close();
});
