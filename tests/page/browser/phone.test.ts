/** Lists and details on a phone, where one takes the place of the other. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { changeAnswers, failing } from './changed-answers.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { violationsOn } from './axe.ts';
import { connectAgent, startGateway } from './gateway.ts';
import { OPEN_POLICY, startSession } from './sessions.ts';
import { openScreen } from './views.ts';

const PHONE = { width: 320, height: 640 };
const bar = (page: Page) => page.getByRole('navigation', { name: 'Screens' });
const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement?.textContent ?? ""');

describe.skipIf(!hasChromium)('on a phone', () => {
  it.each([
    ['/', 'Nothing waits for you'],
    ['/sessions', 'There are no sessions'],
    ['/files/changes', 'No change is recorded'],
  ])('the empty screen %s says so', async (path, title) => {
    const gateway = await startGateway();
    const { page } = await openBrowser(PHONE);
    await gateway.logIn(page);
    await openScreen(page, path);
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it.each([
    ['/approvals/deadbeef', 'All waiting', 'Waiting'],
    ['/sessions/nothing', 'All sessions', 'Sessions'],
    ['/files/changes/nothing', 'All changes', 'Changes'],
    ['/try?tool=nothing', 'All tools', 'Tools'],
  ])('the old link %s leads back to the list', async (path, back, list) => {
    const gateway = await startGateway();
    const { page } = await openBrowser(PHONE);
    await gateway.logIn(page);
    await openScreen(page, path);
    await bar(page).waitFor();
    await page.getByRole('link', { name: back }).click();
    await page
      .locator('.list:visible')
      .and(page.getByLabel(list, { exact: true }))
      .waitFor();
  });

  it('says on every screen that a list could not be loaded', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser(PHONE);
    await changeAnswers(page, failing('node.list', 'the disk is full'));
    await gateway.logIn(page);
    for (const path of ['/', '/nodes', '/sessions']) {
      await openScreen(page, path);
      await page.getByRole('alert').getByText('The disk is full.').waitFor();
    }
    expect(await violationsOn(page)).toEqual([]);
  });

  it('the focus goes to the details and back to their item', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    for (const name of ['one', 'two']) await agent.call('exec', { command: `touch ${name}.txt` });
    const { page } = await openBrowser(PHONE);
    await gateway.logIn(page);
    await page.getByRole('link', { name: 'touch two.txt' }).click();
    await page.locator('h2:focus').waitFor();
    expect(await focused(page)).toContain('main wants to run this');
    await page.getByRole('link', { name: 'All waiting' }).click();
    await page.locator('.item:focus').waitFor();
    expect(await focused(page)).toContain('touch two.txt');
  });

  it('the bar with the screens gives way to answers only, whatever was visited before', async () => {
    const gateway = await startGateway({ config: OPEN_POLICY });
    const agent = await connectAgent(gateway);
    await startSession(agent, { command: 'echo one' });
    await agent.call('exec', { command: 'touch asked.txt', ask: 'always' });
    const { page } = await openBrowser(PHONE);
    await gateway.logIn(page);
    await page.getByRole('link', { name: 'touch asked.txt' }).click();
    await page.getByRole('group', { name: 'Answer' }).waitFor();
    expect(await bar(page).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'All waiting' }).click();
    await bar(page).getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: 'echo one' }).click();
    await page.getByRole('link', { name: 'All sessions' }).waitFor();
    expect(await bar(page).isVisible()).toBe(true);
  });
});

describe.skipIf(!hasChromium)('on a wide window', () => {
  it('the first session is shown although the page was open before it started', async () => {
    const gateway = await startGateway({ config: OPEN_POLICY });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/sessions');
    await page.getByRole('heading', { name: 'There are no sessions' }).waitFor();
    const agent = await connectAgent(gateway);
    const id = await startSession(agent, { command: 'echo first' });
    await page.getByRole('region', { name: `Session ${id}`, exact: true }).waitFor();
  });
});
