import { once } from 'node:events';
import { connect } from 'node:net';
import { Server } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HttpListener, listen, type ListenerOptions } from '../../../src/apps/serve/listener.ts';
import { mcpSessions, type SessionLimits } from '../../../src/apps/serve/mcp-sessions.ts';
import { raw } from './serving.ts';
import { until } from '../../support/patience.ts';

async function listening(more: Partial<ListenerOptions> = {}): Promise<HttpListener> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    check: () => undefined,
    onRequest: () => undefined,
    log: () => undefined,
    ...more,
  });
  onTestFinished(() => listener.close(async () => {}));
  return listener;
}

const HEAD = 'GET /x HTTP/1.1\r\nHost: localhost\r\n';

describe('the bounds of a connection', () => {
  const timeouts = { headerMs: 200, bodyMs: 500, checkMs: 50 };

  it('ends one whose header does not come', async () => {
    const { port } = await listening({ timeouts });
    expect(await raw(port, 'GET / HTTP/1.1\r\nHost: lo')).toMatch(/^HTTP\/1.1 408 /u);
    expect(await raw(port, '')).toMatch(/^(?:HTTP\/1.1 408 |$)/u); // who says nothing is not waited for, either
  });

  it('ends one whose header comes letter by letter', async () => {
    const { port } = await listening({ timeouts });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write('GET / HTTP/1.1\r\nX-A: ');
    await until(() => {
      if (!socket.destroyed) socket.write('a');
      return socket.destroyed;
    }, 'the end of the connection');
  });

  it('ends one whose body does not come to its end', async () => {
    const listener = await listening({ timeouts });
    listener.serve(async (request) => new Response(await request.text()));
    const answer = await raw(listener.port, 'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc');
    expect(answer).not.toMatch(/^HTTP\/1.1 200 /u);
  });

  it('answers that it is starting, and serves then', async () => {
    const listener = await listening();
    const early = await raw(listener.port, `${HEAD}\r\n`);
    expect(early).toMatch(/^HTTP\/1.1 503 /u);
    expect(early).toContain('Retry-After: 1');
    listener.serve(() => new Response('there'));
    expect(await raw(listener.port, `${HEAD}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /u);
  });

  it('waits for running requests when it stops, and accepts no new ones', async () => {
    const listener = await listening();
    let finish!: () => void;
    const work = new Promise<void>((resolve) => (finish = resolve));
    listener.serve(async () => {
      await work;
      return new Response('done');
    });
    const slow = raw(listener.port, `${HEAD}\r\n`);
    await until(() => listener.requests === 1, 'the request');
    const closed = listener.close(async () => {});
    await expect(fetch(`http://127.0.0.1:${listener.port}/x`)).rejects.toThrow('fetch failed');
    finish();
    const answer = await slow;
    expect(answer).toMatch(/done$/u);
    expect(answer).toContain('Connection: close'); // so that nobody waits for a second request
    await closed;
  });

  it('waits for no connection without a request when it is to end', async () => {
    const long = 300_000; // longer than this test may take
    const listener = await listening({ timeouts: { graceMs: long, headerMs: long, bodyMs: long } });
    const silent = connect(listener.port, '127.0.0.1');
    await once(silent, 'connect');
    silent.on('error', () => {}); // a reset is an end, too
    const ended = new Promise((resolve) => silent.once('close', resolve));
    await raw(listener.port, `${HEAD}Connection: close\r\n\r\n`); // the server has taken the connection before
    await listener.close(async () => {});
    await ended;
  });

  it('cuts off an answer that does not come in that time', async () => {
    const listener = await listening({ timeouts: { graceMs: 50 } });
    listener.serve(() => new Promise<Response>(() => undefined));
    const late = raw(listener.port, `${HEAD}\r\n`);
    await until(() => listener.requests === 1, 'the request');
    await listener.close(async () => {});
    expect(await late).toBe('');
  });

  it('names the port that is taken', async () => {
    const { port } = await listening();
    await expect(listening({ port })).rejects.toMatchObject({
      code: 'SERVE_PORT_TAKEN',
      hint: 'choose another one with --port, or --port 0 for any free port',
    });
    await expect(listening({ host: '203.0.113.1' })).rejects.toMatchObject({ code: 'SERVE_ADDRESS' });
  });
});

describe('the sessions of clients of 2025', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };

  function sessionsWith(limits: SessionLimits) {
    const sessions = mcpSessions(() => new Server({ name: 'test', version: '1' }, { capabilities: {} }), limits);
    onTestFinished(() => sessions.close());
    const ask = async (body: unknown, id?: string, method = 'POST') => {
      let ended: (whole: boolean) => void = () => {};
      const request = new Request('http://localhost/mcp', {
        method,
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...(id === undefined ? {} : { 'mcp-session-id': id }),
        },
      });
      const answer = await sessions.fetch(request, body, (listener) => (ended = listener));
      return { status: answer.status, id: answer.headers.get('mcp-session-id') ?? '', end: () => ended(true) };
    };
    return { sessions, ask };
  }

  it('are limited, and an idle one is replaced', async () => {
    const { sessions, ask } = sessionsWith({ most: 2, evictMs: 0 });
    const first = await ask(initialize);
    first.end();
    const second = await ask(initialize);
    expect([first.status, second.status, sessions.size]).toEqual([200, 200, 2]);
    const third = await ask(initialize);
    expect([third.status, sessions.size]).toEqual([200, 2]);
    expect((await ask({ jsonrpc: '2.0', id: 2, method: 'ping' }, first.id)).status).toBe(404);
    expect((await ask(initialize)).status).toBe(503); // both that are left are in use
    expect((await ask({ jsonrpc: '2.0', id: 2, method: 'ping' }, second.id)).status).toBe(200);
  });

  it('are not ended for another while they were used a moment ago', async () => {
    const { ask } = sessionsWith({ most: 1, evictMs: 60_000 });
    (await ask(initialize)).end();
    expect((await ask(initialize)).status).toBe(503);
  });

  it('are ended when nothing has been heard of them, unless a stream is open', async () => {
    const { sessions, ask } = sessionsWith({ idleMs: 50 });
    (await ask(initialize)).end();
    const held = await ask(initialize);
    const stream = await ask(undefined, held.id, 'GET');
    expect(stream.status).toBe(200);
    held.end(); // only now: from here on the stream alone keeps it
    await until(() => sessions.size === 1, 'the end of the first');
    stream.end();
    await until(() => sessions.size === 0, 'the end of the second');
  });
});
