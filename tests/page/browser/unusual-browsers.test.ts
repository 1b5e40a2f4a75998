/** The page where a browser gives it less than usual: no frames, no storage. */
import { describe, expect, it } from 'vitest';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, startGateway } from './gateway.ts';
import { setVisibility } from './sessions.ts';
import { until } from '../../support/patience.ts';

describe.skipIf(!hasChromium)('a tab that is hidden before its next frame', () => {
  it('still counts in its title what waits', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    await page.evaluate(`globalThis.requestAnimationFrame = () => { globalThis.hasAsked = true; return 0; };`);
    await agent.call('exec', { command: 'touch one.txt' });
    await page.waitForFunction('globalThis.hasAsked');
    await setVisibility(page, 'hidden');
    await until(async () => (await page.title()) === '(1) Approvals · Pincer', 'the first request');
    await agent.call('exec', { command: 'touch two.txt' });
    await until(async () => (await page.title()) === '(2) Approvals · Pincer', 'the second request');
  });
});

describe.skipIf(!hasChromium)('a browser that stores nothing', () => {
  it('is logged in as long as the page is open, and says so afterwards', async () => {
    const gateway = await startGateway();
    const { context, page } = await openBrowser();
    await context.addInitScript(`Object.defineProperty(globalThis, 'localStorage', {
      get() { throw new DOMException('storage is switched off', 'SecurityError'); } });`);
    await gateway.logIn(page);
    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Policy' }).waitFor();
    await page.reload();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('stores nothing for this page');
  });
});
