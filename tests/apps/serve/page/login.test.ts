import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOGIN_CHECK_MS } from '../../../../src/apps/serve/page/limits.ts';
import { proofOf } from '../../../../src/page/socket/handshake.ts';
import type { AuditEntry } from '../../../../src/wire/approval.ts';
import type { LoginHandshake } from '../../../../src/wire/page/login.ts';
import type { FromPage } from '../../../../src/wire/page.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { raw } from '../serving.ts';
import { openPage, PageClient, type PageServer, pageServer, secretsOf } from './page-client.ts';

let server: PageServer;
beforeAll(async () => {
  server = await pageServer({ tools: { exec: { host: 'gateway' } } });
});
afterAll(() => server.close());

const own = () => ({ origin: server.base, port: server.port });

async function refusedBy(page: PageClient) {
  await page.ended();
  return { refused: page.refused, code: page.closed?.code, messages: page.messages };
}

describe('a login link', () => {
  it('is exchanged for a cookie that scripts cannot read, and a key in the page', async () => {
    const answer = await fetch(await server.link('operator'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^pincer_page_${server.port}=[\\w.-]+; HttpOnly; SameSite=Strict; Path=/; Max-Age=\\d+$`, 'u'),
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const { cookie, key } = await secretsOf(answer);
    const page = await openPage(server, { cookie, key });
    expect(await page.received('welcome')).toMatchObject({
      type: 'welcome',
      login: { role: 'operator', name: expect.stringMatching(/^operator-\d+$/u) as string },
      agent: 'main',
      workspace: server.home.workspace,
      version: 'test',
      resume: 'reset',
    });
    page.close();
  });

  it('is refused when it is replayed', async () => {
    const link = await server.link('operator');
    expect((await fetch(link)).status).toBe(200);
    const again = await fetch(link);
    expect([again.status, again.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await again.text()).toContain('pincer page');
  });

  it('leads a browser that is logged in to the page, when it is opened again', async () => {
    const link = await server.link('operator');
    const { cookie } = await secretsOf(await fetch(link));
    // Not `fetch`, which sets its own Sec-Fetch-Mode.
    const again = async (site: string | undefined, sent: string) => {
      const fetched = site === undefined ? '' : `Sec-Fetch-Site: ${site}\r\n`;
      const answer = await raw(
        server.port,
        `GET ${new URL(link).pathname}${new URL(link).search} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${fetched}` +
          `Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nCookie: ${sent}\r\n\r\n`,
      );
      return [
        Number(/^HTTP\/1\.1 (\d+) /u.exec(answer)?.[1]),
        /^location: (.*)\r$/imu.exec(answer)?.[1],
        /^set-cookie: /imu.test(answer),
      ];
    };
    const refused = [403, undefined, false];
    expect(await again('none', cookie)).toEqual([303, '/', false]);
    expect(await again('same-origin', cookie)).toEqual([303, '/', false]);
    for (const site of ['cross-site', 'same-site', undefined]) expect(await again(site, cookie), site).toEqual(refused);
    for (const other of ['', `${cookie}x`, `pincer_page_${server.port}=${'x'.repeat(300)}`])
      expect(await again('none', other), other).toEqual(refused);
  });

  it('is used by one of many requests at the same time', async () => {
    const link = await server.link('viewer');
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(link)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each([
    ['HEAD', { method: 'HEAD' }],
    ['a prefetch', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
    [
      'a frame of another page',
      { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' } },
    ],
    ['a script of a page', { headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' } }],
    ['an image of another page', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } }],
  ])('is not used by %s', async (_, init) => {
    const link = await server.link('viewer');
    const before = await fetch(link, init);
    expect(before.headers.get('set-cookie')).toBeNull();
    expect((await fetch(link)).headers.get('set-cookie')).not.toBeNull();
  });

  it('is refused with an unknown code, without a code, and with a very long one', async () => {
    for (const query of ['?code=unknown', '', `?code=${'x'.repeat(5_000)}`]) {
      const answer = await fetch(`${server.base}/login${query}`);
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }
  });

  it('is in the audit log when it is created, used and revoked, without its secrets', async () => {
    const link = await server.link('viewer');
    const secrets = await secretsOf(await fetch(link));
    const page = await openPage(server, await server.logIn('operator'));
    const { login } = await (await openPage(server, secrets)).received('welcome');
    await page.call('login.revoke', { id: login.id });
    const rows = await page.call<readonly AuditEntry[]>('audit.list', { after: 0, limit: 1_000 });
    const own = rows.filter(({ event }) => event === 'login').slice(-5);
    expect(own.map(({ details, by }) => [details['action'], by])).toContainEqual(['link created', 'tester']);
    expect(own.map(({ details, by }) => [details['action'], by])).toContainEqual(['link used', `page:${login.name}`]);
    expect(own.at(-1)).toMatchObject({
      by: expect.stringMatching(/^page:operator-/u) as string,
      details: { action: 'revoked', name: login.name },
    });
    const text = JSON.stringify(rows);
    for (const secret of [new URL(link).searchParams.get('code')!, secrets.key, secrets.cookie.split('.')[1]!])
      expect(text).not.toContain(secret);
    page.close();
  });
});

describe('the socket', () => {
  it('refuses a page of an attacker on another origin', async () => {
    const { cookie } = await server.logIn('operator');
    const page = new PageClient(server, { cookie, origin: 'https://evil.example' });
    expect(await refusedBy(page)).toMatchObject({ refused: { status: 403, code: 'SERVE_ORIGIN' }, messages: [] });
  });

  it('refuses the origin of another port of this host', async () => {
    const { cookie } = await server.logIn('operator');
    for (const origin of ['http://127.0.0.1:1', 'http://127.0.0.1', `https://127.0.0.1:${server.port}`, 'null']) {
      const page = new PageClient(server, { cookie, origin });
      expect((await refusedBy(page)).refused, origin).toEqual({ status: 403, code: 'SERVE_ORIGIN' });
    }
  });

  it('refuses a host name of DNS rebinding', async () => {
    const { cookie } = await server.logIn('operator');
    const host = `rebound.example:${server.port}`;
    const page = new PageClient(server, { cookie, host, origin: `http://${host}` });
    expect(await refusedBy(page)).toMatchObject({ refused: { status: 403, code: 'SERVE_HOST' } });
    // Not `fetch`, which sets its own Host header.
    for (const path of ['/', '/login?code=x', '/assets/index-abc123.js'])
      expect(
        await raw(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
        path,
      ).toMatch(/^HTTP\/1\.1 403 [^]*SERVE_HOST/u);
  });

  it('logs out a page with a cookie and a wrong key', async () => {
    const { cookie } = await server.logIn('operator');
    const other = await server.logIn('operator');
    const page = new PageClient(server, { cookie });
    await page.prove(other.key);
    expect(await refusedBy(page)).toEqual({
      refused: undefined,
      code: 4401,
      messages: [
        expect.objectContaining({ type: 'challenge' }),
        { type: 'logged-out', reason: 'this browser is not logged in' },
      ],
    });
  });

  it('logs out a page with a key and no cookie, or the cookie of another login', async () => {
    const { key } = await server.logIn('operator');
    const page = new PageClient(server, {});
    expect(await refusedBy(page)).toMatchObject({ code: 4401, messages: [{ type: 'logged-out' }] });
    const other = new PageClient(server, { cookie: (await server.logIn('operator')).cookie });
    await other.prove(key);
    expect(await refusedBy(other)).toMatchObject({ code: 4401, messages: [{}, { type: 'logged-out' }] });
  });

  it('finds the cookie of the login behind those that a page on another port added', async () => {
    const { cookie, key } = await server.logIn('operator');
    const [name] = cookie.split('=');
    const others = [`${name}=evil`, `${name}=${'x'.repeat(3_000)}`, `${name}=a.b`];
    const page = new PageClient(server, { cookie: [...others, cookie].join('; ') });
    expect(await page.hello(key)).toMatchObject({ login: { role: 'operator' } });
    page.close();
    const tooMany = new PageClient(server, { cookie: [...others, `${name}=c.d`, cookie].join('; ') });
    expect(await refusedBy(tooMany)).toMatchObject({ code: 4401 });
  });

  it('proves to the page that it knows the key, for this connection and this origin', async () => {
    const { cookie, key } = await server.logIn('operator');
    const challenge = async (nonce: string) => {
      const page = new PageClient(server, { cookie });
      await page.opened();
      page.send({ type: 'hello', nonce });
      const found = await page.received('challenge');
      page.close();
      return found;
    };
    const [one, other] = [await challenge('one'), await challenge('one')];
    expect(one.proof).toBe(await proofOf('server', key, { ...own(), pageNonce: 'one', serverNonce: one.nonce }));
    expect([one.nonce === other.nonce, one.proof === other.proof]).toEqual([false, false]);
  });

  it.each<[string, (parts: LoginHandshake & { readonly key: string }) => Promise<string>]>([
    ['for another address', ({ key, ...parts }) => proofOf('page', key, { ...parts, origin: 'http://127.0.0.1:1' })],
    ['for another port', ({ key, ...parts }) => proofOf('page', key, { ...parts, port: 1 })],
    ['of another connection', ({ key, ...parts }) => proofOf('page', key, { ...parts, serverNonce: 'x' })],
    ['that the server gave itself', ({ key, ...parts }) => proofOf('server', key, parts)],
    ['that is the key', ({ key }) => Promise.resolve(key)],
    ['that is empty', () => Promise.resolve('')],
  ])('refuses a proof %s', async (_, proof) => {
    const { cookie, key } = await server.logIn('operator');
    const page = new PageClient(server, { cookie });
    await page.opened();
    page.send({ type: 'hello', nonce: 'n' });
    const { nonce } = await page.received('challenge');
    page.send({
      type: 'proof',
      proof: await proof({ key, ...own(), pageNonce: 'n', serverNonce: nonce }),
    });
    expect(await refusedBy(page)).toMatchObject({ code: 4401, messages: [{}, { type: 'logged-out' }] });
  });

  it('gives nothing to a page before its proof', async () => {
    const { cookie } = await server.logIn('operator');
    for (const first of [[], [{ type: 'hello', nonce: 'n' }]] as FromPage[][]) {
      const page = new PageClient(server, { cookie });
      await page.opened();
      for (const message of first) page.send(message);
      if (first.length > 0) await page.received('challenge');
      page.send({ type: 'call', id: 1, method: 'approval.list', params: {} });
      expect(await refusedBy(page)).toMatchObject({ code: 1008 });
      expect(page.messages.filter(({ type }) => type !== 'challenge')).toEqual([]);
    }
  });

  it('is not opened by the token of agents', async () => {
    const token = readFileSync(server.running.ready.tokenFile, 'utf8').trim();
    const { cookie } = await server.logIn('operator');
    const [id] = cookie.split('.');
    for (const given of [`pincer_page_${server.port}=${token}`, `${id}.${token}`]) {
      const page = new PageClient(server, { cookie: given, authorization: `Bearer ${token}` });
      expect(await refusedBy(page), given).toMatchObject({ code: 4401, messages: [{ type: 'logged-out' }] });
    }
    const page = new PageClient(server, { cookie, authorization: `Bearer ${token}` });
    await page.prove(token);
    expect(await refusedBy(page)).toMatchObject({ code: 4401 });
  });

  it('ends when the login is revoked, by the event and not by the check of every minute', async () => {
    const secrets = await server.logIn('viewer');
    const page = await openPage(server, secrets);
    const { login } = await page.received('welcome');
    const operator = await openPage(server, await server.logIn('operator'));
    await operator.call('login.revoke', { id: login.id });
    // Patience is shorter than a minute.
    expect(PATIENCE_MS).toBeLessThan(LOGIN_CHECK_MS);
    expect((await page.ended()).code).toBe(4401);
    expect(page.messages.at(-1)).toEqual({ type: 'logged-out', reason: 'this login was revoked or has expired' });
    const again = new PageClient(server, { cookie: secrets.cookie });
    expect(await refusedBy(again)).toMatchObject({ code: 4401 });
    operator.close();
  });

  it('ends the own login of a page with login.end', async () => {
    const secrets = await server.logIn('viewer');
    const page = await openPage(server, secrets);
    await page.call('login.end');
    expect((await page.ended()).code).toBe(4401);
  });
});
