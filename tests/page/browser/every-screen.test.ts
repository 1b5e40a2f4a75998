import { describe, expect, it } from 'vitest';
import { SCREENS } from '../../../src/page/screens/registry.ts';
import { until } from '../../support/patience.ts';
import { scrollsDown, scrollsSideways, violationsOn } from './axe.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, startGateway } from './gateway.ts';

const NAMES = ['Approvals', 'Sessions', 'Nodes', 'Files', 'Policy', 'Audit', 'Try it', 'Settings'];

describe.skipIf(!hasChromium).each([
  { name: 'light', options: {} },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'phone', options: { width: 320, height: 640 } },
] as const)('every screen, $name', ({ name, options }) => {
  it('has its name as its only h1, no violation, no problem in the console, and fits into the window', async () => {
    const gateway = await startGateway({ files: { 'notes.md': '# Notes\n\n- one\n' } });
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch waiting.txt' });
    const { page, problems } = await openBrowser(options);
    await gateway.logIn(page);
    for (const screen of SCREENS) {
      await page.goto(gateway.server.base + screen.href);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.locator('main > *').first().waitFor();
      await until(async () => (await page.locator('main [aria-busy="true"]').count()) === 0, `all of ${screen.name}`);
      const found = {
        headings: await page.getByRole('heading', { level: 1 }).allTextContents(),
        violations: await violationsOn(page),
        scrollsSideways: await scrollsSideways(page),
        scrollsDown: await scrollsDown(page),
        alerts: await page.getByRole('alert').allTextContents(),
      };
      expect(found, screen.name).toEqual({
        headings: [screen.name],
        violations: [],
        scrollsSideways: false,
        scrollsDown: false,
        alerts: [],
      });
    }
    expect(problems).toEqual([]);
    if (name === 'phone') return;
    const rail = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    expect(await rail.allTextContents()).toEqual(SCREENS.map((screen) => expect.stringContaining(screen.name)));
    for (const link of NAMES) {
      await page.getByRole('link', { name: link, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor();
    }
  });
});

describe.skipIf(!hasChromium)('keys', () => {
  it('go to every screen with g, and stay silent when they are switched off', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    await gateway.logIn(page);
    for (const { key, name } of SCREENS.toReversed()) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      // A field that took the focus would take the next key.
      await page.getByRole('heading', { level: 1 }).focus();
    }
    await page.keyboard.press('?');
    await page.getByLabel('Single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    expect(new URL(page.url()).pathname).toBe('/');
    await page.keyboard.press('Control+k');
    await page.locator(':focus[role=combobox]').waitFor();
    await page.keyboard.type('audit');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/audit');
  });
});
