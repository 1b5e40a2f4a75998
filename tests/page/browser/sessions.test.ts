/** The Sessions screen in real Chromium: the list, the keys, the dialog, the roles, and how it looks. */
import { expect, test } from 'vitest';
import { until } from '../../support/patience.ts';
import { scrollsSideways, violationsOn } from './axe.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, type PageGateway, startGateway } from './gateway.ts';
import { screenshot } from './screenshots.ts';
import { OPEN_POLICY, sessionOf, startSession, takeControl, terminalText } from './sessions.ts';

/** Prints what a test runner prints, and watches. */
const WATCH = `
const lines = [
  '', '\\x1b[90m> shop@1.4.1 test\\x1b[0m', '\\x1b[90m> vitest --watch\\x1b[0m', '',
  ' \\x1b[7m DEV \\x1b[0m \\x1b[1mv3.0.4\\x1b[0m \\x1b[90m/home/demo/shop\\x1b[0m', '',
  ' \\x1b[32m✓\\x1b[0m tests/tax.test.ts \\x1b[90m(6 tests)\\x1b[0m 14ms',
  ' \\x1b[32m✓\\x1b[0m tests/cart.test.ts \\x1b[90m(21 tests)\\x1b[0m 40ms',
  ' \\x1b[31m✗\\x1b[0m tests/orders.test.ts \\x1b[90m(12 tests | 1 failed)\\x1b[0m 31ms',
  '   \\x1b[31m→ a negative quantity is refused\\x1b[0m',
  '     \\x1b[90mexpected function to throw RangeError, but it returned -1200\\x1b[0m', '',
  '  Test Files  \\x1b[31m1 failed\\x1b[0m | \\x1b[32m2 passed\\x1b[0m (3)',
  '       Tests  \\x1b[31m1 failed\\x1b[0m | \\x1b[32m38 passed\\x1b[0m (39)', '',
  ' \\x1b[1;31mFAIL\\x1b[0m  Tests failed. Watching for file changes...',
];
process.stdout.write(lines.join('\\r\\n') + '\\r\\n');
setInterval(() => undefined, 1000);
`;

const SHAPES = [
  { name: 'light', colorScheme: 'light', width: 1360, height: 860 },
  { name: 'dark', colorScheme: 'dark', width: 1360, height: 860 },
  { name: 'phone', colorScheme: 'light', width: 320, height: 640 },
] as const;

/** Sessions of two agents in several states; the newest is the one that watches. */
async function startSessions(gateway: PageGateway): Promise<string> {
  const ops = await connectAgent(gateway, 'ops');
  const failing = await startSession(ops, { command: 'ls --color=never ./nowhere' });
  await startSession(ops, { command: "printf 'a\\u202eb\\tc\\n'; echo done" });
  await startSession(ops, { command: 'sleep 600' });
  const main = await connectAgent(gateway);
  await until(async () => (await sessionOf(gateway, failing))?.exitCode === 2, 'the failed session');
  return startSession(main, { command: 'node watch.mjs --watch', pty: true });
}

test.skipIf(!hasChromium).each(SHAPES)(
  'has no violation of accessibility in any view: $name',
  async ({ name, ...shape }) => {
    const gateway = await startGateway({ config: OPEN_POLICY, files: { 'watch.mjs': WATCH } });
    const id = await startSessions(gateway);
    const { page, problems } = await openBrowser(shape);
    await gateway.logIn(page);
    await page.goto(`${gateway.server.base}/sessions`);
    await page.locator('.item').nth(3).waitFor();
    if (name === 'phone') await screenshot(page, 'sessions-list-phone');
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(`${gateway.server.base}/sessions/${id}`);
    await page.locator('.xterm-rows').getByText('Watching for file changes').waitFor();
    await screenshot(page, `sessions-${name}`);
    expect(await violationsOn(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole('button', { name: 'Plain text' }).click();
    await page.locator('.output-text').getByText('38 passed').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Kill…' }).click();
    // Some shells stay as the parent of the command, others become it: the command is the last line of the tree.
    await page
      .locator('.process-tree li')
      .last()
      .getByText(/node watch\.mjs/u)
      .waitFor();
    await screenshot(page, `sessions-kill-${name}`);
    expect(await violationsOn(page)).toEqual([]);
    expect(problems).toEqual([]);
  },
);

test.skipIf(!hasChromium)('the list follows events, and is used by keyboard', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const { page, problems } = await openBrowser();
  await gateway.logIn(page);
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByText('There are no sessions').waitFor();
  const first = await startSession(agent, { command: 'sleep 601' });
  await page.getByRole('link', { name: 'sleep 601' }).waitFor();
  const second = await startSession(agent, { command: 'sleep 602' });
  await page.getByRole('link', { name: 'sleep 602' }).waitFor();
  await page.locator('.subtitle').getByText('2 running, 0 ended').waitFor();

  // The one that started first is shown; the newest is the first of the list.
  await page.getByRole('region', { name: `Session ${first}`, exact: true }).waitFor();
  await page.keyboard.press('k');
  await until(() => page.url().endsWith(`/sessions/${second}`), 'the first of the list');
  await page.keyboard.press('j');
  await until(() => page.url().endsWith(`/sessions/${first}`), 'the second of the list');
  await page.keyboard.press('k');
  await until(() => page.url().endsWith(`/sessions/${second}`), 'the first of the list again');
  await page.keyboard.press('Enter');
  await page.locator('.session-detail [data-output]:focus').waitFor();

  await page.keyboard.press('/');
  await page.keyboard.type('601 state:running');
  await page.getByRole('link', { name: 'sleep 602' }).waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('');

  await page.getByRole('button', { name: 'Kill…' }).click();
  await page.getByRole('button', { name: /^Kill \d+ process(?:es)?$/u }).click();
  await page.locator('.session-head').getByText('Killed').waitFor();
  expect((await sessionOf(gateway, second))?.failure).toBe('killed');
  await page.getByRole('link', { name: 'sleep 601' }).click();
  await page.getByRole('button', { name: /^Interrupt/u }).click();
  await page
    .locator('.session-head')
    .getByText(/Ended by SIGINT|Code 130/u)
    .waitFor();
  await page.locator('.subtitle').getByText('0 running, 2 ended').waitFor();
  expect(problems).toEqual([]);
});

test.skipIf(!hasChromium)(
  'one person types at a time, a viewer never, and the end of a link releases the control',
  async () => {
    const gateway = await startGateway({ config: OPEN_POLICY });
    const agent = await connectAgent(gateway);
    const id = await startSession(agent, { command: 'cat', pty: true });
    const [first, second, viewer] = await Promise.all([openBrowser(), openBrowser(), openBrowser()]);
    for (const { page } of [first, second]) await gateway.logIn(page);
    await gateway.logIn(viewer.page, 'viewer');
    for (const { page } of [first, second, viewer]) await page.goto(`${gateway.server.base}/sessions/${id}`);
    await takeControl(first.page);
    await first.page.keyboard.type('first');
    await until(async () => (await terminalText(second.page)).includes('first'), 'the echo in the other browser');

    await second.page.getByRole('button', { name: 'Type', exact: true }).click({ force: true });
    await second.page.locator('.toast').getByText('is typing now').waitFor();
    await viewer.page.locator('.xterm-rows').getByText('first').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Type', exact: true }).count()).toBe(0);
    await viewer.page.getByRole('button', { name: 'Kill…' }).click({ force: true });
    await viewer.page.locator('.toast').getByText('Only an operator can do this').waitFor();
    expect(await viewer.page.locator('dialog').count()).toBe(0);

    await first.context.close();
    await until(async () => (await sessionOf(gateway, id))?.controller === undefined, 'the released control');
    await second.page.reload();
    await takeControl(second.page);
    expect((await sessionOf(gateway, id))?.controller?.by).toMatch(/^page:/u);
  },
);
