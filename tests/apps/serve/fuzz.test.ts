import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc, runs } from '../../support/property.ts';
import { boundedBy, PATIENCE_MS } from '../../support/patience.ts';
import { type Home, makeHome, rawToTheEnd, type Server, startServer } from './serving.ts';

const RUNS = runs(100, 10_000);

let home: Home;
let server: Server;
beforeAll(async () => {
  home = makeHome();
  server = await startServer(home);
});
afterAll(async () => {
  await server.end();
  await home.remove();
});

const path = fc.oneof(
  fc.constantFrom('/mcp', '/v1/tools', '/v1/tools/read', '/v1/tools/process', '/v1/tools/path', '/metrics', '/readyz'),
  fc.webPath().map((text) => `/v1/tools/${text}`),
  fc.string({ maxLength: 60 }).map((text) => `/${encodeURIComponent(text)}`),
  fc.constantFrom('//', '/%', '/%zz', '/%00', '/..%2f..', '/?a=b#c', '/v1/tools/__proto__', '/v1/tools/constructor'),
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE');
const names = fc.constantFrom(
  'accept',
  'content-type',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'last-event-id',
  'if-none-match',
  'range',
  'upgrade',
  'x-forwarded-host',
  'x-http-method-override',
);
const values = fc.oneof(
  fc.constantFrom('application/json', 'text/event-stream', 'application/json, text/event-stream', '2026-07-28', '1'),
  fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/gu, '?')),
);
const method2026 = fc.constantFrom(
  'server/discover',
  'tools/list',
  'tools/call',
  'subscriptions/listen',
  'ping',
  'initialize',
);
const message = fc.record(
  {
    jsonrpc: fc.constantFrom<unknown>('2.0', '1.0', 2, null),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.object()),
    method: fc.oneof(method2026, fc.string()),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.constantFrom('read', 'path', 'process', 'nothing'), arguments: fc.jsonValue() }),
      fc.record({ _meta: fc.object(), notifications: fc.jsonValue(), protocolVersion: fc.string() }),
    ),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  message.map((value) => JSON.stringify(value)),
  fc.array(message, { maxLength: 4 }).map((value) => JSON.stringify(value)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.json().map((text) => text.slice(0, -1)),
  fc.string(),
  fc.constantFrom('['.repeat(50_000), '{"a":'.repeat(20_000), '"\\ud800"', '1e999', '{"__proto__":{"path":"a.txt"}}'),
);

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** The status. A stream may stay open: it is left at its first event, and at once where nothing was asked. */
function send({ path: to, method: how, headers, body: what }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: server.port,
        path: to,
        method: how,
        agent: false,
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...Object.fromEntries(headers),
          authorization: `Bearer ${server.token}`,
        },
      },
      (answer) => {
        answer.on('end', () => resolve(answer.statusCode!));
        const leave = () => {
          outgoing.destroy();
          resolve(answer.statusCode!);
        };
        const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
        if (isStream && how === 'GET') leave();
        else if (isStream) answer.once('data', leave);
        else answer.resume();
      },
    );
    const release = boundedBy(PATIENCE_MS, () => reject(new Error(`${how} ${to} is not answered`)));
    outgoing.on('close', release);
    // A connection that is ended is met while reading or while writing.
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(0) : reject(error),
    );
    outgoing.end(how === 'GET' || how === 'HEAD' || how === 'TRACE' ? undefined : what);
  });
}

async function isWell(): Promise<void> {
  const answer = await fetch(`${server.base}/healthz`);
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
  expect(server.child.exitCode).toBe(null);
  expect(server.stderr()).not.toMatch(/failed: |defect|nobody waited/u);
}

describe('the HTTP server with random requests', () => {
  it('answers each of them, and never with a defect', async () => {
    const sent = fc.record({ path, method, headers: fc.array(fc.tuple(names, values), { maxLength: 4 }), body });
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 8 }), async (all) => {
        const statuses = await Promise.all(all.map(send));
        expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    await isWell();
  });

  it('answers bytes that are no HTTP, or ends their connection', async () => {
    const line = fc.oneof(
      fc.constantFrom('GET / HTTP/1.1', 'POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Length: 5', ''),
      fc.constantFrom('Transfer-Encoding: chunked', 'Connection: upgrade', 'Upgrade: h2c', 'Expect: 100-continue'),
      fc.constant('').map(() => `Authorization: Bearer ${server.token}`),
      fc.string(),
    );
    const bytes = fc.oneof(
      fc.array(line, { maxLength: 10 }).map((lines) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')),
      fc.uint8Array({ maxLength: 400 }).map((piece) => Buffer.from(piece)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 8 }), async (all) => {
        const answers = await Promise.all(all.map((piece) => rawToTheEnd(server.port, piece)));
        expect(answers.filter((answer) => /^HTTP\/1.1 5(?!03)/mu.test(answer))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    await isWell();
  });
});
