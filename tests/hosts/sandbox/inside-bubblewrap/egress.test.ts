import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openReal } from './stage.ts';

/** As the gateway gives them to commands. */
const PROXIES = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'ALL_PROXY'].map((name) => [name, 'http://127.0.0.1:3128']),
);

async function serve(): Promise<number> {
  const server = createServer((request, response) => response.end(`hello from ${request.headers.host}\n`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('programs reach the allowed names by the usual variables, and nothing else', async () => {
  const port = await serve();
  const refused: string[] = [];
  const { sh } = await openReal({
    egress: true,
    link: {
      egress: {
        allow: [`allowed.test:${port}`, `private.test:${port}`],
        resolve: async (name) => (name === 'private.test' ? ['10.0.0.1'] : ['127.0.0.1']),
        permitted: (address) => address === '127.0.0.1',
        onRefused: ({ host, reason }) => refused.push(`${host} ${reason}`),
      },
    },
  });
  const curl = (...words: readonly string[]) => sh(`curl -sS -m 40 ${words.join(' ')} 2>&1`, { env: PROXIES });
  expect((await curl(`http://allowed.test:${port}/`)).out).toBe(`hello from allowed.test:${port}\n`);
  expect((await curl('--proxytunnel', `http://allowed.test:${port}/`)).out).toBe(`hello from allowed.test:${port}\n`);
  expect((await curl('-x socks5h://127.0.0.1:3128', `http://allowed.test:${port}/`)).out).toContain('hello');
  expect((await curl(`http://other.test:${port}/`)).out).toContain('the sandbox may not connect to this server');
  expect((await curl(`http://private.test:${port}/`)).out).toContain('the sandbox may not connect');
  expect((await curl('--noproxy "*"', `http://127.0.0.1:${port}/`)).code).not.toBe(0);
  expect(refused.map((line) => line.split(' ')[0])).toEqual(['other.test', 'private.test']);
});

test('without a way out there is no proxy', async () => {
  const { sh } = await openReal();
  expect((await sh('curl -sS -m 5 http://allowed.test/ 2>&1', { env: PROXIES })).code).not.toBe(0);
});
