/** What a defect behind a route looks like from outside, on a real listener. */
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/apps/serve/listener.ts';
import { routes } from '../../../src/apps/serve/routes.ts';

async function broken() {
  const logged: string[] = [];
  const log = (text: string): void => void logged.push(text);
  const defect = (): never => {
    throw new RangeError('too deep');
  };
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    check: () => undefined,
    onRequest: () => undefined,
    log,
  });
  onTestFinished(() => listener.close(async () => undefined));
  const app = routes({
    toolbox: async () => defect(),
    gateway: async () => defect(),
    mcp: { fetch: async () => defect() },
    metrics: { contentType: 'text/plain', text: async () => defect() },
    url: () => '',
    version: '1.0.0',
    log,
  });
  listener.serve(app.fetch);
  return { logged, port: listener.port };
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

it.each([
  ['POST', '/v1/tools/read', { method: 'POST', headers: JSON_HEADERS, body: '{}' }],
  ['POST', '/mcp', { method: 'POST', headers: JSON_HEADERS, body: '{}' }],
  ['GET', '/v1/tools', {}],
  ['GET', '/metrics', {}],
])('%s %s answers with a defect, and the log contains it', async (method, path, request) => {
  const { logged, port } = await broken();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, request);
  expect([response.status, await response.json()]).toMatchObject([500, { error: { code: 'INTERNAL_ERROR' } }]);
  expect(logged).toEqual([expect.stringContaining(`${method} ${path} failed: RangeError: too deep`)]);
});

it('a client that stops in the middle of its body is no defect', async () => {
  const { logged, port } = await broken();
  const socket = connect(port, '127.0.0.1');
  const head =
    'POST /v1/tools/read HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
  await new Promise<void>((sent) => socket.write(head, () => sent()));
  socket.destroy();
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect(logged).toEqual([]);
});
