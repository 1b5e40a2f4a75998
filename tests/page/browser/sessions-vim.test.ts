/** A person types into a terminal through the page, in real Chromium against a real gateway. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../support/patience.ts';
import { violationsOn } from './axe.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, startGateway } from './gateway.ts';
import { screenshot } from './screenshots.ts';
import { OPEN_POLICY, takeControl, terminalText } from './sessions.ts';

const VIM = '/usr/bin/vim';

test.skipIf(!hasChromium || !existsSync(VIM))('a person edits and saves a file with vim through the page', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY, files: { 'staging.yaml': 'replicas: 1\nimage: shop\n' } });
  const agent = await connectAgent(gateway);
  await agent.call('exec', { command: `${VIM} -u NONE -N staging.yaml`, pty: true, background: true });
  const { page, problems } = await openBrowser({ colorScheme: 'dark' });
  await gateway.logIn(page);
  await page.getByRole('link', { name: 'Sessions' }).first().click();
  await page.locator('.xterm-rows').getByText('image: shop').waitFor();

  // A watcher's keys never reach the program.
  await page.locator('.terminal-frame').focus();
  await page.keyboard.type('x');
  await takeControl(page);
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.type('A0');
  await page.keyboard.press('Escape');
  await until(async () => (await terminalText(page)).includes('replicas: 10'), 'the typed text');
  await screenshot(page, 'sessions-typing-dark');
  await page.keyboard.type(':w');
  await page.keyboard.press('Enter');
  const file = join(gateway.home.workspace, 'staging.yaml');
  await until(() => readFileSync(file, 'utf8') === 'replicas: 10\nimage: shop\n', 'the saved file');

  await page.keyboard.press('Control+Shift+Escape');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Watch');
  await page.getByText('is not judged').waitFor({ state: 'detached' });
  await takeControl(page);
  await page.keyboard.press('Control+Shift+X');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Watch');
  await takeControl(page);
  await page.getByRole('button', { name: 'Plain text' }).focus();
  await takeControl(page);
  expect(problems).toEqual([]);
});
