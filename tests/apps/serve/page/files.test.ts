import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { raw } from '../serving.ts';
import { INDEX, type PageServer, pageServer } from './page-client.ts';

let server: PageServer;
beforeAll(async () => {
  server = await pageServer();
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.base}${path}`, { headers });

/** `fetch` resolves dot segments itself; these bytes arrive as they are. */
async function rawStatus(method: string, path: string): Promise<number> {
  const answer = await raw(server.port, `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  return Number(/^HTTP\/1\.1 (\d+) /u.exec(answer)?.[1]);
}

describe('the files of the page', () => {
  it.each([
    '/',
    '/approvals',
    '/approvals/history',
    '/approvals/d896da8d',
    '/sessions',
    '/sessions/brisk-otter',
    '/nodes',
    '/nodes/web-1',
    '/files',
    '/files/deploy/staging.yaml',
    '/policy',
    '/policy/explain',
    '/audit',
    '/try',
    '/settings',
  ])('are index.html at %s, without a token', async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([200, INDEX]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      'require-trusted-types-for',
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*|https?:/u);
  });

  it.each(['/nothing', '/approvals/', '/approvals/a/b', '/sessions/a/b', '/assets/', '/assets/a/b.js', '/index.html'])(
    'do not exist at %s',
    async (path) => {
      expect((await get(path)).status).toBe(401);
      const answer = await server.ask(path);
      expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
        404,
        'SERVE_NO_ROUTE',
      ]);
    },
  );

  it('are a page with a link to the first screen where a browser asks for an unknown path, and nothing else', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const path of ['/nothing', '/approvals/', '/sessions/a/b', '/index.html']) {
      const answer = await get(path, browser);
      expect([answer.status, await answer.text()], path).toEqual([404, expect.stringContaining('<a href="/">')]);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    for (const path of ['/v1/tools', '/v1/tools/exec', '/metrics', '/openapi.json', '/readyz', '/mcp'])
      expect((await get(path, browser)).status, path).toBe(401);
    expect((await get('/nothing', { ...browser, authorization: 'Bearer x' })).status).toBe(401);
    expect((await fetch(`${server.base}/nothing`, { method: 'POST', headers: browser })).status).toBe(401);
    const head = await fetch(`${server.base}/nothing`, { method: 'HEAD', headers: browser });
    expect([head.status, await head.text()]).toEqual([404, '']);
  });

  it('are compressed as the browser accepts it, and kept forever where the name has a hash', async () => {
    const asset = async (accept: string) => {
      const answer = await get('/assets/index-abc123.js', { 'accept-encoding': accept });
      return [answer.headers.get('content-encoding'), answer.headers.get('content-type')];
    };
    const type = 'text/javascript; charset=utf-8';
    const plain = await raw(
      server.port,
      'GET /assets/index-abc123.js HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip, br;q=0\r\nConnection: close\r\n\r\n',
    );
    expect(plain).toMatch(/content-encoding: gzip/iu);
    expect(plain).toMatch(/cache-control: public, max-age=31536000, immutable/iu);
    expect(plain).toMatch(/vary: accept-encoding/iu);
    expect(await asset('identity')).toEqual([null, type]);
    const icon = await get('/icon.svg');
    expect([icon.status, icon.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  it.each([
    ['/assets/../index.html', 400],
    ['/assets/%2e%2e/index.html', 400],
    ['/assets/..%2findex.html', 401],
    ['/assets/....//index.html', 401],
    ['/assets/..%5cindex.html', 401],
  ])('never leave the folder of the page: %s', async (path, status) => {
    expect(await rawStatus('GET', path)).toBe(status);
  });

  it.each([
    '/files/../v1/tools',
    '/files/%2e%2e/v1/tools',
    '/files/%2E./v1/tools',
    '/files/a/../../v1/tools',
    '/files/./../v1/tools',
    '/files/..\\v1\\tools',
    '/files/x/..//../v1/tools',
    '/approvals/../v1/tools',
    '/sessions/%2e%2e/metrics',
    '/nodes/../openapi.json',
    '/files/../mcp',
    '/files#/../v1/tools',
    '/files/../v1/tools?x=/../',
  ])('never open a route of agents: %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) expect(await rawStatus(method, path), method).toBe(400);
  });

  it('run no tool without a token by a path with dot segments', async () => {
    const body = JSON.stringify({ command: 'touch was-here' });
    const head = `Host: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const answer = await raw(server.port, `POST /files/../v1/tools/exec HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /u);
    expect(existsSync(join(server.home.workspace, 'was-here'))).toBe(false);
  });

  it('say how to build them where they are missing, and the link stays valid', async () => {
    const link = await server.link('viewer');
    const other = await pageServer();
    rmSync(join(other.home.folder, 'dist', 'page'), { recursive: true });
    for (const path of ['/', '/login?code=x']) {
      const answer = await fetch(`${other.base}${path}`);
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('npm run build')]);
    }
    await other.close();
    expect((await fetch(link)).status).toBe(200);
  });

  it('are not changed by a token, and accept only GET', async () => {
    expect(await (await server.ask('/')).text()).toBe(INDEX);
    const posted = await fetch(`${server.base}/login?code=x`, { method: 'POST' });
    expect(posted.status).toBe(401);
    const withToken = await server.ask('/login?code=x', { method: 'POST' });
    expect([withToken.status, withToken.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/', '/files/a', '/icon.svg', '/page/socket'])
      expect(await rawStatus('POST', path), path).toBe(401);
  });
});
