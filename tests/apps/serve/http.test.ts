import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome, raw, rawToTheEnd, type Server, startServer } from './serving.ts';

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

const ROUTES = ['/readyz', '/metrics', '/openapi.json', '/v1/tools', '/v1/tools/read', '/mcp', '/nothing'];
const auth = () => `Authorization: Bearer ${server.token}\r\n`;
const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  server.ask(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

describe('who is let in', () => {
  it('answers /healthz without a token, and nothing else', async () => {
    const answer = await fetch(`${server.base}/healthz`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
  });

  it.each(ROUTES.flatMap((path) => ['GET', 'POST', 'OPTIONS', 'DELETE'].map((method) => [method, path] as const)))(
    'asks %s %s for the token',
    async (method, path) => {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${server.token}` }]) {
        const answer = await fetch(`${server.base}${path}?token=${server.token}`, { method, headers });
        const body = (await answer.json()) as { error: { code: string } };
        expect([answer.status, answer.headers.get('www-authenticate'), body.error.code]).toEqual([
          401,
          'Bearer',
          'SERVE_UNAUTHORIZED',
        ]);
      }
    },
  );

  it.each([
    ['Host: evil.example', 403],
    ['Host: localhost', 200],
    ['Host: [::1]:80', 200],
    ['Host: 127.0.0.1\r\nHost: evil.example', 400],
    ['Host: 127.0.0.1\r\nOrigin: http://evil.example', 403],
    ['Host: 127.0.0.1\r\nOrigin: http://localhost:3000', 200],
    ['Host: 127.0.0.1\r\nOrigin: null', 403],
    ['X: y', 400],
  ])('answers %j with %i', async (header, status) => {
    const answer = await raw(server.port, `GET /v1/tools HTTP/1.1\r\n${header}\r\n${auth()}Connection: close\r\n\r\n`);
    expect(answer.split('\r\n', 1)[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `, 'u'));
  });

  it('refuses pages of other origins, and sends no server banner', async () => {
    const answer = await server.ask('/v1/tools', { headers: { origin: 'http://localhost:3000' } });
    const names = [...answer.headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(names).not.toContain('server');
    expect(names).not.toContain('x-powered-by');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('invalid requests', () => {
  it.each([
    ['no JSON', '{', 400, 'SERVE_MALFORMED'],
    ['nothing', '', 400, 'SERVE_MALFORMED'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'SERVE_MALFORMED'],
    ['a list', '[]', 422, 'PARAM_INVALID'],
    ['nothing as a value', 'null', 422, 'PARAM_INVALID'],
    ['unknown parameters', '{"path":"a.txt","colour":"red"}', 422, 'PARAM_UNKNOWN'],
    ['no parameters', '{}', 422, 'PARAM_MISSING'],
  ])('answers a body with %s', async (_, body, status, code) => {
    const answer = await post('/v1/tools/read', body);
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([status, code]);
  });

  it('requires the content type JSON', async () => {
    const answer = await post('/v1/tools/read', '{}', { 'content-type': 'text/plain' });
    expect(answer.status).toBe(415);
    expect((await post('/v1/tools/read', '{"path":"a.txt"}', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('answers an unknown tool, an unknown route and a wrong method', async () => {
    const unknown = await post('/v1/tools/nope', '{}');
    expect([unknown.status, ((await unknown.json()) as { error: { code: string } }).error.code]).toEqual([
      404,
      'TOOL_UNKNOWN',
    ]);
    expect((await server.ask('/v2/nothing')).status).toBe(404);
    // Not `fetch`, which resolves dot segments itself.
    expect(
      await raw(server.port, `GET /v1/tools/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n${auth()}\r\n`),
    ).toMatch(/^HTTP\/1\.1 400 /u);
    const wrong = await server.ask('/v1/tools/read');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const options = await server.ask('/v1/tools', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('answers HEAD as GET, without a body', async () => {
    const answer = await server.ask('/v1/tools', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await fetch(`${server.base}/v1/tools`, { method: 'HEAD' })).status).toBe(401);
  });

  it('refuses a too long body by its Content-Length', async () => {
    const answer = await raw(
      server.port,
      `POST /v1/tools/write HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /u);
    expect(answer).toContain('SERVE_TOO_LARGE');
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('refuses a body that turns out to be too long while it is sent', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const answer = await raw(
      server.port,
      `POST /v1/tools/write HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(70)}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /u);
  });

  it.each(['/v1/tools/read', '/mcp'])('B25: refuses a body of a million brackets at %s', async (path) => {
    for (const body of ['['.repeat(1_000_000), `{"path":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`])
      expect((await post(path, body)).status).toBe(400);
    const answer = await post('/v1/tools/read', `{"path":${'['.repeat(300)}${']'.repeat(300)}}`);
    expect(await answer.json()).toMatchObject({
      error: { code: 'SERVE_MALFORMED', message: 'the body is nested deeper than 256 levels' },
    });
  });

  it('takes a body of almost four megabytes', async () => {
    const content = 'x'.repeat((4 << 20) - 200);
    const answer = await server.call('write', { path: 'big.txt', content });
    expect([answer.status, answer.body.isError]).toEqual([200, undefined]);
  });

  it('asks for a body only when it will read it', async () => {
    const head = (length: number, token: string) =>
      `POST /v1/tools/read HTTP/1.1\r\nHost: localhost\r\n${token}Content-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    expect(await raw(server.port, head(10, ''))).toMatch(/^HTTP\/1.1 401 /u);
    expect(await raw(server.port, head(99_999_999, auth()))).toMatch(/^HTTP\/1.1 413 /u);
    expect(await raw(server.port, `${head(16, auth())}{"path":"a.txt"}`)).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /u,
    );
  });

  const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  const smuggled = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  it.each([
    ['both lengths', `Content-Length: 4\r\n${chunked}`, `0\r\n\r\n${smuggled}`],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n', `{}${smuggled}`],
    ['a length with a sign', 'Content-Length: +2\r\n', `{}${smuggled}`],
    ['a length with a list', 'Content-Length: 2, 2\r\n', `{}${smuggled}`],
    ['a coding with another name', 'Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${smuggled}`],
    ['a coding behind chunked', 'Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${smuggled}`],
    ['a folded header', 'X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 2\r\n', `{}`],
    ['a blank before the colon', 'Transfer-Encoding : chunked\r\n', `0\r\n\r\n${smuggled}`],
    ['a bare line feed', 'X-A: b\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${smuggled}`],
    ['a broken chunk', chunked, 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk with a sign', chunked, `-2\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['a null in a header', 'X-A: \0\r\n', smuggled],
  ])('reads no second request behind one with %s', async (_, headers, rest) => {
    const answer = await raw(
      server.port,
      `POST /v1/tools/read HTTP/1.1\r\nHost: localhost\r\n${auth()}${headers}\r\n${rest}`,
    );
    expect(answer).not.toContain('{"status":"ok"}');
    expect(answer).not.toMatch(/^HTTP\/1.1 (?:200|5\d\d)/mu);
  });

  it.each([
    ['a request line of another host', 'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n', 400],
    ['a star', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n', 400],
    ['a path without a slash', 'GET healthz HTTP/1.1\r\nHost: localhost\r\n', 400],
    ['an unknown method', 'BREW /healthz HTTP/1.1\r\nHost: localhost\r\n', 400],
    ['another protocol', 'PRI * HTTP/2.0\r\n', 400],
    ['a header that is too long', `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n`, 431],
    ['a wish that nobody knows', 'GET /v1/tools HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\n', 417],
  ])('refuses %s', async (_, head, status) => {
    const answer = await raw(server.port, `${head}Connection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `, 'u'));
  });

  it('survives bodies that end in the middle', async () => {
    const head = `POST /v1/tools/read HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\n`;
    await rawToTheEnd(server.port, `${head}Content-Length: 100\r\n\r\n{"pa`);
    await rawToTheEnd(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n10\r\n{"pa`);
    expect((await server.call('read', { path: 'a.txt' })).status).toBe(200);
    expect(server.stderr()).toBe('');
  });
});
