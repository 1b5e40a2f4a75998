/** Keys in real Chromium: each acts on what the one before has opened. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { runPincer } from '../../apps/serve/serving.ts';
import { until } from '../../support/patience.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { cuttableLink } from './cuttable-link.ts';
import { connectAgent, type PageGateway, startGateway } from './gateway.ts';

/** A page with one request for each command; the first one is shown and can be answered. */
async function openInbox(commands: readonly string[], size = {}) {
  const gateway = await startGateway();
  const agent = await connectAgent(gateway);
  for (const command of commands) await agent.call('exec', { command });
  const { page } = await openBrowser(size);
  await gateway.logIn(page);
  const allow = page.getByRole('button', { name: /^Allow once/u });
  await until(async () => (await allow.getAttribute('aria-disabled')) === 'false', 'armed answers');
  return { gateway, page };
}

async function statesOf({ home }: PageGateway): Promise<readonly ApprovalInfo['state'][]> {
  const { stdout } = await runPincer(home, ['approvals', 'list', '--all', '--json']);
  return (JSON.parse(stdout) as { approvals: readonly ApprovalInfo[] }).approvals.map(({ state }) => state);
}

/** Both events in one task: no frame is drawn in between. */
function pressTogether(page: Page, opener: string, key: string): Promise<void> {
  const press = (init: object): string =>
    `(document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...${JSON.stringify(init)} }));`;
  const [letter, ...modifiers] = opener.split('+').toReversed();
  return page.evaluate(press({ key: letter, ctrlKey: modifiers.includes('Control') }) + press({ key }));
}

describe.skipIf(!hasChromium)('the key after one that opens a dialog', () => {
  it.each([
    ['d', 'Deny'],
    ['A', 'Allow from now on'],
    ['Control+k', 'Find'],
    ['?', 'Keys'],
  ])('%s is for the dialog, and answers nothing', async (opener, dialog) => {
    const { gateway, page } = await openInbox(['touch made.txt']);
    await pressTogether(page, opener, 'a');
    await page.getByRole('dialog', { name: dialog }).waitFor();
    expect(await statesOf(gateway)).toEqual(['pending']);
  });

  it('is for the dialog after a click, too', async () => {
    const { gateway, page } = await openInbox(['touch made.txt']);
    await page.evaluate(`document.querySelector('.answer-bar .destructive').click();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));`);
    await page.getByRole('dialog', { name: 'Deny' }).waitFor();
    expect(await statesOf(gateway)).toEqual(['pending']);
  });
});

describe.skipIf(!hasChromium)('a reason that is typed while the request is answered elsewhere', () => {
  it('stays in its dialog, and none of its letters answers the next request', async () => {
    const { gateway, page } = await openInbox(['touch one.txt', 'touch two.txt']);
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Deny' });
    await dialog.waitFor();
    await page.keyboard.type('please ');
    const { stdout } = await runPincer(gateway.home, ['approvals', 'list', '--json']);
    const { approvals } = JSON.parse(stdout) as { readonly approvals: readonly ApprovalInfo[] };
    const shown = approvals.find(({ binding }) => binding.command === 'touch one.txt')!;
    await runPincer(gateway.home, ['approvals', 'deny', shown.slug]);
    await dialog.getByRole('alert').getByText('denied this').waitFor();
    await page.keyboard.type('just ask');
    expect(await dialog.getByRole('textbox').inputValue()).toBe('please just ask');
    await page.keyboard.press('Enter');
    await dialog.getByRole('status').getByText('denied this').waitFor();
    expect([...(await statesOf(gateway))].sort()).toEqual(['denied', 'pending']);
  });
});

describe.skipIf(!hasChromium)('an answer without a link', () => {
  it('is refused in its dialog, which keeps what was typed, and is not sent later', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch made.txt' });
    const { page } = await openBrowser();
    const link = await cuttableLink(page);
    await gateway.logIn(page);
    await until(
      async () => (await page.getByRole('button', { name: /^Allow once/u }).getAttribute('aria-disabled')) === 'false',
      'armed answers',
    );
    await page.keyboard.press('Shift+A');
    const dialog = page.getByRole('dialog', { name: 'Allow from now on' });
    await dialog.getByRole('textbox').fill('the build makes it');
    await link.cut();
    await page.getByText('The link to the gateway is lost.').waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('status').getByText('Nothing is queued.').waitFor();
    link.mend();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('the build makes it');
    expect(await statesOf(gateway)).toEqual(['pending']);
    await page.keyboard.press('Enter');
    await until(async () => (await statesOf(gateway))[0] === 'allowed', 'the answer');
  });
});

describe.skipIf(!hasChromium)('arrow keys', () => {
  it('scroll the region that has the focus, and move the selection elsewhere', async () => {
    const { page } = await openInbox(['touch one.txt', 'touch two.txt'], { height: 400 });
    const shown = page.getByRole('region', { name: /^Request/u });
    const body = page.locator('.detail-body');
    await body.focus();
    await page.keyboard.press('ArrowDown');
    await until(async () => (await body.evaluate('element => element.scrollTop')) !== 0, 'the scrolled request');
    expect(await page.getByRole('link', { name: 'touch one.txt' }).getAttribute('aria-current')).toBe('true');
    await page.keyboard.press('j');
    await shown.getByText('touch two.txt').first().waitFor();
    await page.getByRole('link', { name: 'touch two.txt' }).focus();
    await page.keyboard.press('ArrowUp');
    await shown.getByText('touch one.txt').first().waitFor();
  });
});
