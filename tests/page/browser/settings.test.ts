/** The Settings screen: who is logged in, and the configuration. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { json } from '../../apps/node/machines.ts';
import { until } from '../../support/patience.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { cuttableLink } from './cuttable-link.ts';
import { type PageGateway, startGateway } from './gateway.ts';
import { callAsPage } from './own-socket.ts';
import { checkViews, named, openScreen } from './views.ts';

const configFile = ({ home: { folder } }: PageGateway): string => join(folder, 'config', 'pincer', 'pincer.jsonc');
const config = (gateway: PageGateway): string => readFileSync(configFile(gateway), 'utf8');
const browsers = (page: Page): Locator => page.getByRole('table', { name: 'Browsers' }).getByRole('row');
const setting = (page: Page, path: string): Locator =>
  page.getByRole('table', { name: 'Settings' }).getByRole('row').filter({ hasText: path });

async function logInAsViewer(operator: Page): Promise<{ readonly page: Page; readonly link: string }> {
  await operator.getByRole('button', { name: 'Link for a viewer' }).click();
  await operator.getByText('becomes a viewer').waitFor();
  const link = (await operator.locator('.snippet code').filter({ hasText: '/login?' }).textContent()) ?? '';
  const { page } = await openBrowser();
  await page.goto(link);
  await page.getByText('Live', { exact: true }).waitFor();
  await openScreen(page, '/settings');
  return { page, link };
}

describe.skipIf(!hasChromium)('a person on the Settings screen', () => {
  it('makes a link for a viewer, which works once, and revokes that browser', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    const { page: viewer, link } = await logInAsViewer(page);
    const { page: third } = await openBrowser();
    expect((await third.goto(link))?.status()).toBe(403);

    const row = browsers(page).filter({ hasText: 'viewer-' });
    await row.getByText('Chrome on Linux').waitFor();
    await row.getByRole('button', { name: /^Revoke…/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this login?' });
    await dialog.getByText('Chrome on Linux').waitFor();
    await checkViews(page, 'settings-revoke');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await viewer.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    await viewer.goto(`${gateway.server.base}/settings`);
    await viewer.getByText('pincer page', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('sees a change as a diff before it is written, and the file keeps its other bytes', async () => {
    const gateway = await startGateway();
    const text = '{\n  // who is asked\n  "tools": { "exec": { "host": "gateway", "ask": "on-miss" } }\n}\n';
    writeFileSync(configFile(gateway), text);
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    await setting(page, 'tools.exec.ask')
      .getByRole('button', { name: named('Change…', 'tools.exec.ask') })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Change setting' });
    await dialog.getByRole('textbox', { name: 'Value' }).fill('always');
    await page.keyboard.press('Enter');
    const diff = dialog.getByRole('region', { name: 'Change of the configuration' });
    await diff.getByText('"ask": "always"').waitFor();
    expect(config(gateway)).toBe(text);
    await dialog.getByRole('button', { name: 'Write' }).click();
    await setting(page, 'tools.exec.ask').first().getByText('"always"').waitFor();
    expect(config(gateway)).toBe(text.replace('on-miss', 'always'));
    expect(problems).toEqual([]);
  });

  it('writes nothing while Enter is held down, and reads in the dialog why a button does nothing', async () => {
    const gateway = await startGateway();
    const before = config(gateway);
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    await page.getByRole('button', { name: 'Set a value…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a value' });
    await dialog.getByRole('button', { name: 'Preview' }).click({ force: true });
    await dialog.getByRole('status').getByText('Name the setting.').waitFor();
    await checkViews(page, 'settings-blocked');
    await dialog.getByRole('textbox', { name: 'Setting', exact: true }).fill('tools.exec.ask');
    expect(await dialog.getByRole('status').textContent()).toBe('');
    await dialog.getByRole('textbox', { name: 'Value' }).fill('always');
    await page.keyboard.down('Enter');
    await dialog.getByRole('button', { name: 'Write' }).waitFor();
    for (let i = 0; i < 3; i++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await dialog.getByRole('button', { name: 'Write' }).waitFor();
    expect(config(gateway)).toBe(before);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(JSON.parse(config(gateway))).toMatchObject({ tools: { exec: { ask: 'always' } } });
  });

  it('writes what the preview shows: a letter that was typed meanwhile needs another preview', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    let release = (): void => undefined;
    const typed = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isAnswered = false;
    await page.routeWebSocket(/\/page\/socket$/u, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (message) => {
        if (String(message).includes('config.set')) await typed; // the answer comes after the next letter
        server.send(message);
      });
      server.onMessage((message) => {
        socket.send(message);
        isAnswered ||= String(message).includes('"diff":');
      });
    });
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    await page.getByRole('button', { name: 'Set a value…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a value' });
    await dialog.getByRole('textbox', { name: 'Setting', exact: true }).fill('tools.exec.timeoutSec');
    const value = dialog.getByRole('textbox', { name: 'Value' });
    await value.fill('60');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await value.press('End');
    await value.press('0');
    release();
    await until(() => isAnswered, 'the preview of the first value');
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await dialog.getByRole('region', { name: 'Change of the configuration' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('region', { name: 'Change of the configuration' }).getByText('600').waitFor();
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(JSON.parse(config(gateway))).toMatchObject({ tools: { exec: { timeoutSec: 600 } } });
  });

  it('reads why "Log out" does nothing without a link', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    const link = await cuttableLink(page);
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    const logOut = page.getByRole('button', { name: /^Log out/u });
    await logOut.waitFor();
    await link.cut();
    await page.getByText('The link to the gateway is lost.').waitFor();
    expect(await logOut.getAttribute('title')).toContain('There is no link to the gateway.');
  });

  it('cannot write over a change from elsewhere, and previews again on the current file', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    await page.getByRole('button', { name: 'Set a value…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a value' });
    await dialog.getByRole('textbox', { name: 'Setting', exact: true }).fill('tools.exec.ask');
    await dialog.getByRole('textbox', { name: 'Value' }).fill('always');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('button', { name: 'Write' }).waitFor();
    await json(gateway.home, ['config', 'set', 'tools.exec.security', '"deny"']);
    const before = config(gateway);
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(config(gateway)).toBe(before);
    await checkViews(page, 'settings-refused');
    expect(await dialog.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('always');

    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(JSON.parse(config(gateway))).toMatchObject({ tools: { exec: { ask: 'always', security: 'deny' } } });
  });
});

describe.skipIf(!hasChromium)('a viewer on the Settings screen', () => {
  it('reads why nothing can be changed, and the server refuses what goes past the buttons', async () => {
    const gateway = await startGateway();
    const { page: operator } = await openBrowser();
    await gateway.logIn(operator);
    await openScreen(operator, '/settings');
    const { page } = await logInAsViewer(operator);
    for (const name of ['Link for a viewer', 'Link for an operator', 'Set a value…']) {
      const button = page.getByRole('button', { name });
      expect([await button.getAttribute('aria-disabled'), await button.getAttribute('title')]).toEqual([
        'true',
        expect.stringContaining('viewer'),
      ]);
    }
    const before = config(gateway);
    const read = await callAsPage(page, 'config.get', {});
    expect(read).toMatchObject({ type: 'result' });
    const { files } = (read as { value: { files: readonly { layer: string; revision: string }[] } }).value;
    const { revision } = files.find(({ layer }) => layer === 'user')!;
    for (const [method, params] of [
      ['config.set', { path: 'tools.exec.ask', value: 'off', revision }],
      ['binding.set', { node: 'x', revision }],
      ['login.link', { role: 'operator' }],
      ['node.invite', {}],
    ] as const)
      expect(await callAsPage(page, method, params)).toMatchObject({ type: 'fault', fault: { code: 'LOGIN_ROLE' } });
    expect(config(gateway)).toBe(before);

    await page.getByRole('button', { name: /^Log out/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    await browsers(operator).filter({ hasText: 'viewer-' }).waitFor({ state: 'detached' });
  });
});

describe.skipIf(!hasChromium)('the Settings screen, light, dark and on a phone', () => {
  it('has no violation that axe finds, none of the Content-Security-Policy, and does not scroll sideways', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    await setting(page, 'nodes.listen').waitFor();
    await checkViews(page, 'settings');
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Settings']);
    expect(problems).toEqual([]);
  });

  it('has none in its dialogs and links', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/settings');
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('exec ask');
    await setting(page, 'tools.exec.ask').first().waitFor();
    expect(await setting(page, 'nodes.listen').count()).toBe(0);
    await page.getByRole('button', { name: 'Link for an operator' }).click();
    await page.getByText('becomes an operator').waitFor();
    await checkViews(page, 'settings-link');
    await setting(page, 'tools.exec.ask').getByRole('button').first().click();
    await page.getByRole('textbox', { name: 'Value' }).fill('always');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Change of the configuration' }).waitFor();
    await checkViews(page, 'settings-preview');
    expect(problems).toEqual([]);
  });
});
