/** How a browser and the gateway prove to each other that they know a login. */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { startServer } from '../../apps/serve/serving.ts';
import { scrollsDown, scrollsSideways, violationsOn } from './axe.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { startGateway } from './gateway.ts';

/** A program of another user on the port of a stopped gateway: all that it gets. */
async function takePort(port: number) {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await once(server, 'listening');
  const received: string[] = [];
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      received.push(String(data));
      socket.send(JSON.stringify({ type: 'challenge', nonce: 'n', proof: '00'.repeat(32) }));
    });
  });
  const close = async (): Promise<void> => {
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { received, close };
}

describe.runIf(hasChromium)('a browser with a login', () => {
  it('gives nothing to a program that took the port, and is live again with the gateway', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    await gateway.logIn(page);
    const key = await page.evaluate<string>(`localStorage.getItem('pincer.key')`);
    expect(key).toMatch(/^[\w-]{43}$/u);
    const { port } = gateway.server;
    await gateway.server.end('SIGKILL');
    const taken = await takePort(port);
    await page.getByText('did not prove that it is the gateway of your login').waitFor();
    expect(taken.received.map((text) => (JSON.parse(text) as { type: string }).type)).toEqual(['hello']);
    expect(taken.received.join('')).not.toContain(key);
    await taken.close();
    gateway.server = await startServer(gateway.home, ['--port', String(port)], [], 'gateway');
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('is logged in at localhost, too', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await page.goto((await gateway.link()).replace('127.0.0.1', 'localhost'));
    await page.getByText('Live', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('comes to the page with its used link, and without a login to a page that says what to do', async () => {
    const gateway = await startGateway();
    const { page, context } = await openBrowser();
    const link = await gateway.link();
    for (let i = 0; i < 2; i++) {
      await page.goto(link);
      await page.getByText('Live', { exact: true }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/');
    }
    await context.clearCookies();
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('gets a page with a way home at an address that it mistyped', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser({ width: 320, height: 640 });
    await gateway.logIn(page);
    await page.goto(`${gateway.server.base}/approvalz`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect([await violationsOn(page), await scrollsSideways(page), await scrollsDown(page)]).toEqual([
      [],
      false,
      false,
    ]);
    await page.getByRole('link').click();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.goto(`${gateway.server.base}/approvals`);
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  });
});
