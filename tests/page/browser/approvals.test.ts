import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { runPincer } from '../../apps/serve/serving.ts';
import { ASKS_OFTEN } from '../../support/gateway.ts';
import { PATIENCE_MS, until } from '../../support/patience.ts';
import { scrollsSideways, violationsOn } from './axe.ts';
import { changeAnswers } from './changed-answers.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, type PageGateway, startGateway, textIn } from './gateway.ts';
import { screenshot } from './screenshots.ts';

const item = (page: Page, command: string) => page.getByRole('link', { name: command });
/** The buttons that answer; they are not armed in the first moment. */
const allowOnce = (page: Page, command: string) => page.getByRole('button', { name: `Allow once : ${command}` });

async function armed(page: Page, command: string): Promise<void> {
  await until(async () => (await allowOnce(page, command).getAttribute('aria-disabled')) === 'false', 'armed answers');
}

async function allApprovals({ home }: PageGateway): Promise<readonly ApprovalInfo[]> {
  const { stdout } = await runPincer(home, ['approvals', 'list', '--all', '--json']);
  return (JSON.parse(stdout) as { approvals: readonly ApprovalInfo[] }).approvals;
}

/** Positions in the history. */
const NEXT = ['2-11111111-0000-4000-8000-000000000000', '1-11111111-0000-4000-8000-000000000000'];

/** Other requests that were answered after this one. */
function answeredLater(old: ApprovalInfo, count: number, from = 0): readonly ApprovalInfo[] {
  return Array.from({ length: count }, (_, i) => {
    const slug = (from * 1000 + i + 1).toString(16).padStart(8, '0');
    return { ...old, slug, id: `${slug}-0000-4000-8000-000000000000`, resolvedAt: (old.resolvedAt ?? 0) + 1_000 + i };
  });
}

const commandOf = ({ binding }: ApprovalInfo) => binding.command;

describe.skipIf(!hasChromium)('a person at the control page', () => {
  it('allows a command of an agent by keyboard, as it arrives', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    expect(await page.title()).toBe('Approvals · Pincer');
    expect(page.url()).toBe(`${gateway.server.base}/`);
    const agent = await connectAgent(gateway);
    expect(textIn(await agent.call('exec', { command: 'touch made.txt' }))).toContain('approval');
    await item(page, 'touch made.txt').waitFor();
    expect(await page.title()).toBe('(1) Approvals · Pincer');
    await armed(page, 'touch made.txt');
    await page.keyboard.press('a');
    await until(() => existsSync(join(gateway.home.workspace, 'made.txt')), 'the file of the command');
    await page.getByText('Allowed once. It runs now.').waitFor();
    expect(await allApprovals(gateway)).toMatchObject([{ decision: 'allow-once', resolvedBy: 'page:operator-1' }]);
    expect(problems).toEqual([]);
  });

  it('moves with j, denies with a reason, and the agent gets the reason', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    for (const name of ['one', 'two', 'three']) await agent.call('exec', { command: `touch ${name}.txt` });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await armed(page, 'touch one.txt');
    await page.keyboard.press('j');
    await allowOnce(page, 'touch two.txt').waitFor();
    await page.keyboard.press('d');
    await page.getByRole('dialog', { name: 'Deny' }).waitFor();
    await page.keyboard.type('use the build server');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('or ask me');
    expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toBe('use the build server\nor ask me');
    await page.keyboard.press('Enter');
    await until(async () => (await allApprovals(gateway)).some(({ state }) => state === 'denied'), 'the denial');
    const denied = (await allApprovals(gateway)).filter(({ state }) => state === 'denied');
    expect(denied.map((approval) => [commandOf(approval), approval.outcome])).toEqual([
      ['touch two.txt', 'user-denied: use the build server or ask me'],
    ]);
    await allowOnce(page, 'touch three.txt').waitFor();
  });

  it('answers only one request with two presses of a key within half a second', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    for (const name of ['one', 'two']) await agent.call('exec', { command: `touch ${name}.txt` });
    const { page } = await openBrowser();
    await page.clock.install();
    await gateway.logIn(page);
    await armed(page, 'touch one.txt');
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 200);
    await page.keyboard.press('a');
    await until(() => existsSync(join(gateway.home.workspace, 'one.txt')), 'the first file');
    await until(async () => {
      await page.clock.runFor(20);
      return (await allowOnce(page, 'touch two.txt').count()) > 0;
    }, 'the next request');
    await page.keyboard.press('a');
    await page.clock.runFor(20);
    await page.getByText('The request has just changed. Look at it, then answer.').first().waitFor();
    expect((await allApprovals(gateway)).filter(({ state }) => state === 'pending').map(commandOf)).toEqual([
      'touch two.txt',
    ]);
    await page.clock.runFor(600);
    await page.keyboard.press('a');
    await until(() => existsSync(join(gateway.home.workspace, 'two.txt')), 'the second file');
  });

  it('answers the shown request when another one arrives in the same moment', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch shown.txt' });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await armed(page, 'touch shown.txt');
    const arriving = agent.call('exec', { command: 'touch other.txt' });
    await page.keyboard.press('a');
    await arriving;
    await until(() => existsSync(join(gateway.home.workspace, 'shown.txt')), 'the shown command');
    const open = (await allApprovals(gateway)).filter(({ state }) => state === 'pending');
    expect(open.map(commandOf)).toEqual(['touch other.txt']);
  });

  it('stores a rule for an hour with "Allow always"', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch made.txt' });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await armed(page, 'touch made.txt');
    await page.keyboard.press('Shift+A');
    const dialog = page.getByRole('dialog', { name: 'Allow from now on' });
    await dialog.getByText('In 1 hour').click();
    await dialog.getByLabel('Reason, kept with the entry').fill('the build makes it');
    expect(await violationsOn(page)).toEqual([]);
    await screenshot(page, 'approvals-always-light');
    await dialog.getByRole('button', { name: 'Store and run' }).click();
    await until(() => existsSync(join(gateway.home.workspace, 'made.txt')), 'the file of the command');
    const { stdout } = await runPincer(gateway.home, ['approvals', 'get', '--json']);
    expect(stdout).toContain('the build makes it');
    const [end] = /"expiresAt":\s*(\d+)/u.exec(stdout)?.slice(1) ?? [];
    expect(Math.abs(Number(end) - Date.now() - 3_600_000)).toBeLessThan(600_000);
  });

  it('reads why an allowed command does not run, beside it and not only for a moment', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    for (const name of ['one', 'two']) await agent.call('exec', { command: `touch ${name}.txt` });
    const { page } = await openBrowser();
    await changeAnswers(page, ({ method }, answer) => {
      if (method !== 'approval.resolve' || answer.type !== 'result') return undefined;
      return { ...answer, value: { ...(answer.value as object), notRun: 'its program no longer exists' } };
    });
    await gateway.logIn(page);
    await armed(page, 'touch one.txt');
    await page.keyboard.press('a');
    await page.getByRole('alert').getByText('not run: its program no longer exists').waitFor();
    expect(await item(page, 'touch one.txt').getAttribute('aria-current')).toBe('true');
    expect(await page.getByText('It runs now.').count()).toBe(0);
  });

  it('sees a command with hidden characters as badges, and the page holds none of them', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch "fix \u202etxt.exe"' });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await page.getByRole('group', { name: 'The command' }).getByText('U+202E').waitFor();
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toMatch(/\p{Bidi_Control}/u);
  });

  it.each([
    ['deny', 'then denied'],
    ['full', 'then askFallback runs it'],
  ])('reads what askFallback=%s does if nobody answers', async (askFallback, text) => {
    const gateway = await startGateway();
    const { stdout } = await runPincer(gateway.home, ['approvals', 'get', '--json']);
    const { path } = JSON.parse(stdout) as { readonly path: string };
    writeFileSync(path, JSON.stringify({ version: 1, defaults: { askFallback } }), { mode: 0o600 });
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch made.txt' });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await page.getByRole('timer').getByText(text).waitFor();
  });

  it('opens a request of the history that is older than all that the page keeps', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch old.txt' });
    await runPincer(gateway.home, ['approvals', 'deny', (await allApprovals(gateway))[0]!.slug]);
    const old = (await allApprovals(gateway))[0]!;
    const { page } = await openBrowser();
    await changeAnswers(page, ({ method }, { id }) =>
      method === 'approval.list' ? { type: 'result', id, value: answeredLater(old, 201) } : undefined,
    );
    await gateway.logIn(page);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('link', { name: 'touch old.txt' }).click();
    await page.getByRole('status').getByText('denied this').waitFor();
    expect(await page.getByRole('group', { name: 'The command' }).textContent()).toBe('touch old.txt');
  });

  it('loads the older part of the history once, and keeps what is shown where that fails', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch old.txt' });
    await runPincer(gateway.home, ['approvals', 'deny', (await allApprovals(gateway))[0]!.slug]);
    const old = (await allApprovals(gateway))[0]!;
    const asked: (string | undefined)[] = [];
    const { page } = await openBrowser();
    await changeAnswers(page, ({ method, params }, { id }) => {
      if (method !== 'approval.history') return undefined;
      const { before } = params as { readonly before?: string };
      asked.push(before);
      if (before === NEXT[1]) return { type: 'fault', id, fault: { code: 'INTERNAL', message: 'the disk is full' } };
      const page = before === undefined ? 0 : 1;
      return { type: 'result', id, value: { approvals: answeredLater(old, 2, page), next: NEXT[page] } };
    });
    await gateway.logIn(page);
    await page.getByRole('link', { name: 'History' }).click();
    const rows = page.getByRole('table', { name: 'Answered requests' }).locator('tbody tr');
    const more = page.getByRole('button', { name: 'Show older ones' });
    await more.dblclick();
    await until(async () => (await rows.count()) === 4, 'the older rows');
    await more.click();
    await page.getByRole('alert').getByText('the disk is full').waitFor();
    expect(await rows.count()).toBe(4);
    expect(asked).toEqual([undefined, ...NEXT]);
    await agent.call('exec', { command: 'touch new.txt' });
    await runPincer(gateway.home, ['approvals', 'deny', (await allApprovals(gateway))[0]!.slug]);
    await page.getByRole('button', { name: 'Reload: 1 answered since' }).waitFor();
  });

  it('cannot answer a long command before all of it was shown', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: `touch ${'x'.repeat(4_100)} end.txt` });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await page.getByText('more characters are not shown').waitFor();
    await page.keyboard.press('a');
    expect(await page.getByRole('button', { name: /^Allow once/u }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Show everything' }).click();
    await armed(page, 'touch');
    expect((await allApprovals(gateway)).map(({ state }) => state)).toEqual(['pending']);
  });

  it('sees the request of one agent among the long commands of another, and how many are not shown', async () => {
    const gateway = await startGateway({ config: { ...ASKS_OFTEN, nodes: { listen: '127.0.0.1:0' } } });
    const quiet = await connectAgent(gateway, 'quiet');
    await quiet.call('exec', { command: 'touch quiet.txt' });
    const loud = await connectAgent(gateway);
    for (let number = 10; number < 90; number++)
      await loud.call('exec', { command: `touch ${number}${'x'.repeat(100_000)}` });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    const note = page.getByText(/^\d+ older requests are not shown\./u);
    await note.waitFor({ timeout: 3 * PATIENCE_MS }); // the list has megabytes
    const [unshown] = /\d+/u.exec((await note.textContent()) ?? '') ?? [];
    const items = page.getByRole('region', { name: 'Waiting' }).getByRole('listitem');
    expect(Number(unshown) + (await items.count())).toBe(81);
    expect(await page.title()).toBe('(81) Approvals · Pincer');
    await items.filter({ hasText: 'touch quiet.txt' }).waitFor();
  });

  it('reads the same list after the gateway was killed, and says meanwhile that there is no link', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch kept.txt' });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await armed(page, 'touch kept.txt');
    const restarted = gateway.killAndRestart();
    await page.getByText('The link to the gateway is lost.').waitFor();
    expect(await allowOnce(page, 'touch kept.txt').getAttribute('aria-disabled')).toBe('true');
    await restarted;
    await page.getByText('Live', { exact: true }).waitFor();
    await armed(page, 'touch kept.txt');
    await page.keyboard.press('a');
    await until(() => existsSync(join(gateway.home.workspace, 'kept.txt')), 'the file of the command');
  });
});

describe.skipIf(!hasChromium)('two people', () => {
  it('answer one request at once: the first answer counts, and the other page names who gave it', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch race.txt' });
    const pages = [(await openBrowser()).page, (await openBrowser()).page];
    for (const page of pages) {
      await gateway.logIn(page);
      await armed(page, 'touch race.txt');
    }
    await Promise.all(pages.map((page) => page.keyboard.press('a')));
    await until(() => existsSync(join(gateway.home.workspace, 'race.txt')), 'the file of the command');
    const [{ resolvedBy = '' } = {}] = await allApprovals(gateway);
    const winner = resolvedBy.replace('page:', '');
    expect(['operator-1', 'operator-2']).toContain(winner);
    const loser = pages[winner === 'operator-1' ? 1 : 0]!;
    await loser.getByRole('status').getByText(`${winner} allowed this`).waitFor();
    expect(await loser.getByRole('button', { name: /^Allow once/u }).count()).toBe(0);
  });

  it('see an answer from elsewhere in place, until the selection moves', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    for (const name of ['one', 'two']) await agent.call('exec', { command: `touch ${name}.txt` });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await armed(page, 'touch one.txt');
    await page.keyboard.press('j');
    const [slug] = (await allApprovals(gateway))
      .filter((one) => commandOf(one) === 'touch two.txt')
      .map((one) => one.slug);
    await runPincer(gateway.home, ['approvals', 'deny', slug!]);
    await page.getByRole('status').getByText('denied this').waitFor();
    expect(await item(page, 'touch two.txt').getAttribute('aria-current')).toBe('true');
    await page.keyboard.press('k');
    await allowOnce(page, 'touch one.txt').waitFor();
    expect(await item(page, 'touch two.txt').count()).toBe(0);
  });
});

describe.skipIf(!hasChromium)('a viewer', () => {
  it('reads, and every answer says why it is switched off', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch made.txt' });
    const { page } = await openBrowser();
    await gateway.logIn(page, 'viewer');
    const button = allowOnce(page, 'touch made.txt');
    await button.waitFor();
    expect(await button.getAttribute('title')).toContain('viewer');
    await page.keyboard.press('a');
    expect((await allApprovals(gateway)).map(({ state }) => state)).toEqual(['pending']);
    expect(await violationsOn(page)).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('a browser without a login', () => {
  it('says which command logs it in, and loads nothing', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await page.goto(`${gateway.server.base}/approvals/history`);
    await page.getByText('pincer page', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Log in']);
    expect([await violationsOn(page), problems]).toEqual([[], []]);
    await screenshot(page, 'login-light');
  });
});

const COMMANDS = [
  'npm test && git push',
  'touch "fix \u202etxt.exe"',
  'cat a.txt | grep one | sh -c "cat"',
  'git push origin v1.4.1',
];

describe.skipIf(!hasChromium).each([
  { name: 'light', options: {} },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'phone', options: { width: 320, height: 640 } },
] as const)('the Approvals screen, $name', ({ name, options }) => {
  it('has no violation that axe finds, none of the Content-Security-Policy, and does not scroll sideways', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    for (const command of COMMANDS) await agent.call('exec', { command });
    await agent.call('exec', { command: 'touch answered.txt' });
    await runPincer(gateway.home, ['approvals', 'deny', '--reason', 'no', (await allApprovals(gateway))[0]!.slug]);
    const { page, problems } = await openBrowser(options);
    await gateway.logIn(page);
    await item(page, 'git push origin').waitFor();
    const check = async (what: string): Promise<void> => {
      expect([what, await violationsOn(page), await scrollsSideways(page)]).toEqual([what, [], false]);
      await screenshot(page, `${what}-${name}`);
    };
    if (name !== 'phone') await armed(page, 'npm test && git push');
    await check('approvals');
    if (name === 'phone') {
      await item(page, 'npm test').click();
      await armed(page, 'npm test && git push');
      await check('approvals-detail');
      await page.getByRole('link', { name: 'All waiting' }).click();
    } else {
      for (const [key, dialog, what] of [
        ['d', 'Deny', 'approvals-deny'],
        ['Control+k', 'Find', 'find'],
        ['?', 'Keys', 'keys'],
        ['d', 'Deny', 'approvals-deny'],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole('dialog', { name: dialog }).waitFor();
        await check(what);
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
      }
    }
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('touch answered.txt').waitFor();
    await check('approvals-history');
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Approvals']);
    expect(problems).toEqual([]);
  });
});
