import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../src/wire/approval.ts';
import { OUTPUT_HEADER_BYTES, OUTPUT_WINDOW_BYTES } from '../../../../src/wire/page.ts';
import { fc, runs } from '../../../support/property.ts';
import { eventLoopTurns, until } from '../../../support/patience.ts';
import { raw } from '../serving.ts';
import { openPage, PageClient, type PageServer, pageServer, type Secrets } from './page-client.ts';

let server: PageServer;
let secrets: Secrets;
let page: PageClient;
beforeAll(async () => {
  server = await pageServer();
  secrets = await server.logIn('operator');
  page = await openPage(server, secrets);
});
afterAll(async () => {
  page.close();
  await server.close();
});

const anyMessage = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record({ type: fc.constantFrom('hello', 'proof', 'call', 'follow', 'credit', 'cancel', 'ping'), id: fc.integer() })
    .map((message) => JSON.stringify(message)),
  fc
    .record({
      type: fc.constant('call'),
      id: fc.integer({ min: 1, max: 1_000_000 }),
      method: fc.constantFrom('approval.list', 'approval.show', 'session.log', 'audit.list', 'tool.call', 'config.get'),
      params: fc.jsonValue(),
    })
    .map((message) => JSON.stringify(message)),
);

describe('messages of any content', () => {
  it('end at most their own connection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 8 }), fc.boolean(), async (messages, isLoggedIn) => {
        const hostile = new PageClient(server, { cookie: secrets.cookie });
        await hostile.opened();
        if (isLoggedIn) await hostile.hello(secrets.key);
        for (const message of messages) hostile.socket.send(message);
        await eventLoopTurns();
        if (hostile.closed !== undefined) expect([1003, 1008, 4401]).toContain(hostile.closed.code);
        hostile.close();
        await hostile.ended();
      }),
      { numRuns: runs(60) },
    );
    expect(await page.call('approval.list')).toEqual([]);
    expect(server.logged.filter((line) => line.includes('control page'))).toEqual([]);
  });

  it('are refused where they are too long, binary or too deep', async () => {
    for (const [message, code] of [
      ['x'.repeat((1 << 20) + 1), 1009],
      [Buffer.from('{}'), 1003],
      ['['.repeat(2_000), 1008],
    ] as const) {
      const hostile = await openPage(server, secrets);
      hostile.socket.send(message);
      expect((await hostile.ended()).code).toBe(code);
    }
  });

  it('count for nothing after one that ends the connection', async () => {
    const hostile = await openPage(server, secrets);
    const { login } = await hostile.received('welcome');
    hostile.socket.send('nonsense');
    hostile.send({ type: 'call', id: 1, method: 'login.link', params: { role: 'operator' } });
    expect((await hostile.ended()).code).toBe(1008);
    const rows = await page.call<readonly AuditEntry[]>('audit.list', { after: 0 });
    const created = rows.filter(({ details }) => details['action'] === 'link created');
    expect(created.map(({ by }) => by)).not.toContain(`page:${login.name}`);
  });

  it('have a bound of 4 KiB before the proof', async () => {
    const hostile = new PageClient(server, { cookie: secrets.cookie });
    await hostile.opened();
    hostile.socket.send(JSON.stringify({ type: 'hello', nonce: 'n', more: 'x'.repeat(5_000) }));
    // Not the end of a socket without a proof, which has the same code.
    expect(await hostile.ended()).toEqual({ code: 1008, reason: 'the first message is not hello' });
    expect(hostile.messages).toEqual([]);
  });
});

describe('bounds', () => {
  it('ends a socket that sends no proof', async () => {
    const [silent, half] = [1, 2].map(() => new PageClient(server, { cookie: secrets.cookie }));
    await half!.opened();
    half!.send({ type: 'hello', nonce: 'n' });
    await half!.received('challenge');
    for (const socket of [silent!, half!])
      expect(await socket.ended()).toEqual({ code: 1008, reason: 'no proof of the login within 5 s' });
  });

  it('keeps at most 16 sockets without a proof, and a page gets in among them', async () => {
    const sockets = Array.from({ length: 24 }, () => new PageClient(server, { cookie: secrets.cookie }));
    await Promise.all(sockets.map((each) => each.opened()));
    await until(() => sockets.filter(({ closed }) => closed !== undefined).length === 8, 'the end of the oldest');
    (await openPage(server, secrets)).close();
    for (const each of sockets) each.close();
    await Promise.all(sockets.map((each) => each.ended()));
  });

  it('keeps at most 8 pages of one login, so that a viewer keeps nobody out', async () => {
    const viewer = await server.logIn('viewer');
    const pages = Array.from({ length: 12 }, () => new PageClient(server, { cookie: viewer.cookie }));
    await Promise.all(pages.map((each) => each.prove(viewer.key)));
    const welcomed = (): readonly PageClient[] =>
      pages.filter(({ messages }) => messages.some(({ type }) => type === 'welcome'));
    await until(() => pages.filter(({ closed }) => closed !== undefined).length === 4, 'the end of those above it');
    await until(() => welcomed().length === 8, 'the welcome of the others');
    expect(new Set(pages.flatMap(({ closed }) => (closed === undefined ? [] : [closed.code])))).toEqual(
      new Set([1013]),
    );
    (await openPage(server, secrets)).close();
    const [first] = welcomed();
    first!.close();
    await first!.ended();
    const next = async (): Promise<boolean> => {
      const page = new PageClient(server, { cookie: viewer.cookie });
      await page.prove(viewer.key);
      await until(() => page.closed !== undefined || page.messages.length > 1, 'the answer');
      pages.push(page);
      return page.closed === undefined;
    };
    await until(next, 'a place for the next one');
    for (const each of pages) each.close();
  });

  it('keeps a place for a page while sockets without a login never answer the end of theirs', async () => {
    const key = Buffer.alloc(16).toString('base64');
    const handshake =
      `GET /page/socket HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nOrigin: ${server.base}\r\nConnection: Upgrade\r\n` +
      `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
    const deaf = Array.from({ length: 100 }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
    await Promise.all(
      deaf.map(async (socket) => {
        socket.write(handshake);
        await once(socket, 'data');
      }),
    );
    (await openPage(server, secrets)).close();
    for (const socket of deaf) socket.resume();
    await until(() => deaf.every(({ destroyed }) => destroyed), 'the end of all');
  });

  it('keeps no connection of a refused handshake, also where its client never ends it', async () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    socket.write(
      `GET /page/socket HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nOrigin: http://127.0.0.1:1\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    let answer = '';
    socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden[^]*SERVE_ORIGIN/u);
    // A write to a connection that is gone fails.
    await until(() => {
      socket.write('x');
      return socket.destroyed;
    }, 'the end of the connection');
  });

  it('refuses more calls at once than 32', async () => {
    const many = await openPage(server, secrets);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        many.call('tool.list').then(
          () => 'done',
          (fault: { code: string }) => fault.code,
        ),
      ),
    );
    expect(answers.filter((each) => each === 'done').length).toBeGreaterThanOrEqual(32);
    expect(new Set(answers)).toEqual(new Set(['done', 'GATEWAY_BUSY']));
    many.close();
  });

  it('sends output as far as the page has credit, and loses nothing', async () => {
    const reader = await openPage(server, secrets);
    const size = 3 * OUTPUT_WINDOW_BYTES;
    const { details } = await reader.call<{ details: { sessionId: string } }>('tool.call', {
      tool: 'exec',
      args: { command: `head -c ${size} /dev/zero | tr '\\0' x; cat`, background: true },
      as: 'agent',
    });
    reader.send({ type: 'follow', id: 77, sessionId: details.sessionId, after: 0 });
    const bytes = (): number => reader.frames.reduce((sum, frame) => sum + frame.length - OUTPUT_HEADER_BYTES, 0);
    await until(() => bytes() >= OUTPUT_WINDOW_BYTES, 'the first window');
    await eventLoopTurns();
    expect(bytes()).toBeLessThan(2 * OUTPUT_WINDOW_BYTES);
    let credited = 0;
    await until(() => {
      const now = bytes();
      if (now > credited) reader.send({ type: 'credit', id: 77, bytes: now - credited });
      credited = now;
      return now === size;
    }, 'all of it');
    const starts = reader.frames.map((frame) => frame.readDoubleLE(4));
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    expect(reader.messages.filter(({ type }) => type === 'gap')).toEqual([]);
    await reader.received('end', ({ id }) => id === 77);
    reader.close();
  });

  it('answers a request that offers HTTP/2 as one that does not', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nothing' });
    const answer = await raw(
      server.port,
      `POST /v1/tools/read HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
        `HTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toContain('HTTP/1.1 401 Unauthorized');
    const health = await raw(
      server.port,
      'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    );
    expect(health).toMatch(/^HTTP\/1\.1 200 OK[^]*\{"status":"ok"\}$/u);
  });

  it('keeps other paths closed to sockets', async () => {
    const other = new PageClient(server, { cookie: secrets.cookie, path: '/mcp' });
    await other.ended();
    expect(other.refused).toMatchObject({ status: 401 });
  });
});
