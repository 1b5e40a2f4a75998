/** The Audit screen with thousands of entries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import type { AuditEntry } from '../../../src/wire/approval.ts';
import type { Home } from '../../apps/serve/serving.ts';
import { until } from '../../support/patience.ts';
import { changeAnswers, failing } from './changed-answers.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { cuttableLink } from './cuttable-link.ts';
import { connectAgent, startGateway } from './gateway.ts';
import { OPEN_POLICY } from './sessions.ts';
import { checkViews, openScreen } from './views.ts';

const ENTRIES = 5_000;
/** So far apart that the limit of entries per second omits none. */
const APART_MS = 17_000;
const DENIED_EACH = 10;
/** Enough for the rows that a window shows, and those near it. */
const MOST_ROWS = 80;

/** Entries of the last day: `git push 1` and so on, of which each tenth was denied. */
async function writeEntries({ stateDir }: Home): Promise<void> {
  let time = Date.now() - ENTRIES * APART_MS;
  const store = await openApprovalStore({ file: join(stateDir, 'gateway.db'), now: () => time });
  for (let number = 1; number <= ENTRIES; number++) {
    const isDenied = number % DENIED_EACH === 0;
    store.audit({
      event: isDenied ? 'denied' : 'started',
      agent: number % 3 === 0 ? 'builder' : 'main',
      command: `git push origin v${number}`,
      details: isDenied ? { reason: 'no rule allows it', code: 'allowlist-miss' } : { host: 'gateway' },
    });
    time += APART_MS;
  }
  store.close();
}

const gatewayWithEntries = () => startGateway({ config: OPEN_POLICY, prepare: writeEntries });
const ELEMENT = `var table = document.querySelector('.virtual-table');`;
const table = (page: Page): Locator => page.getByRole('region', { name: 'Audit log' });
/** `top` is an expression of `table`, the element that scrolls. */
const scrollTo = (page: Page, top: string): Promise<unknown> => page.evaluate(`${ELEMENT} table.scrollTop = ${top};`);
const firstShown = (page: Page): Promise<string> =>
  page.evaluate(`${ELEMENT} {
    const { left, top } = table.getBoundingClientRect();
    const head = table.querySelector('thead').getBoundingClientRect().height;
    document.elementFromPoint(left + 40, top + head + 20)?.closest('tr')?.textContent ?? '';
  }`);

/** The number of entries that the page says it has found. */
async function countShown(page: Page): Promise<number> {
  const text = (await page.locator('.histogram figcaption').textContent()) ?? '';
  return Number(/^[\d,]+/u.exec(text)?.[0].replaceAll(',', ''));
}

async function search(page: Page, q: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill(q);
  await until(() => new URL(page.url()).searchParams.get('q') === q, 'the search in the address');
}

describe.skipIf(!hasChromium)('a person on the Audit screen', () => {
  it('scrolls through thousands of entries, of which few are in the document', async () => {
    const gateway = await gatewayWithEntries();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/audit');
    await until(async () => (await countShown(page)) >= ENTRIES, 'the count');
    const rows = page.locator('.virtual-table tbody tr');
    for (const top of ['table.scrollHeight / 3', 'table.scrollHeight / 2', 'table.scrollHeight']) {
      await scrollTo(page, top);
      await until(async () => (await firstShown(page)).includes('git push'), `the rows at ${top}`);
      expect(await rows.count()).toBeLessThan(MOST_ROWS);
    }
    await table(page).getByText('git push origin v1', { exact: true }).waitFor();
    const total = await countShown(page);
    expect(await page.getByRole('table', { name: 'Audit log' }).getAttribute('aria-rowcount')).toBe(String(total + 1));
    expect(problems).toEqual([]);
  });

  it('filters, and keeps the position while new entries arrive', async () => {
    const gateway = await gatewayWithEntries();
    const agent = await connectAgent(gateway);
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/audit');
    await search(page, 'event:denied agent:main');
    const found = Array.from({ length: ENTRIES }, (_, i) => i + 1).filter((n) => n % DENIED_EACH === 0 && n % 3 !== 0);
    await until(async () => (await countShown(page)) === found.length, 'the matches');
    await scrollTo(page, 'table.scrollHeight / 2');
    await until(async () => (await firstShown(page)).includes('git push'), 'the rows');
    const before = await firstShown(page);
    await agent.call('exec', { command: 'echo new' });
    await page.getByRole('button', { name: /new in the log/ }).waitFor();
    expect(await firstShown(page)).toBe(before);

    await search(page, '"echo new"');
    await table(page).getByText('echo new').first().waitFor();
    await page.getByRole('button', { name: /new in the log/ }).click();
    await page.getByRole('button', { name: 'Up to date' }).waitFor();
    await search(page, 'colour:red');
    await page.getByRole('alert').waitFor();
  });

  it('keeps the rows without a link, and does not say that they are up to date', async () => {
    const gateway = await gatewayWithEntries();
    const { page } = await openBrowser();
    const link = await cuttableLink(page);
    await gateway.logIn(page);
    await openScreen(page, '/audit');
    await page.getByRole('button', { name: 'Up to date' }).waitFor();
    await table(page).getByText('git push').first().waitFor();
    await until(async () => (await countShown(page)) >= ENTRIES, 'the count');
    await link.cut();
    await page.getByText('The link to the gateway is lost.').waitFor();
    expect(await page.getByRole('button', { name: 'Up to date' }).count()).toBe(0);
    expect(await table(page).getByText('git push').count()).toBeGreaterThan(0);
    await scrollTo(page, 'table.scrollHeight');
    link.mend();
    await table(page).getByText('git push origin v1', { exact: true }).waitFor();
  });

  it('exports as many lines as the page counts, and checks the chain', async () => {
    const gateway = await gatewayWithEntries();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/audit?q=agent%3Abuilder');
    await until(async () => (await countShown(page)) === Math.floor(ENTRIES / 3), 'the matches');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'JSONL' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('pincer-audit.jsonl');
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(await countShown(page));
    const entries = lines.map((line) => JSON.parse(line) as AuditEntry);
    expect(new Set(entries.map((entry) => entry.agent))).toEqual(new Set(['builder']));
    expect(await page.getByText(/The chain is/).count()).toBe(0);
    await page.getByRole('button', { name: 'Check the chain' }).click();
    await page
      .getByRole('status')
      .getByText(/The chain is intact up to entry 5,\d{3}/)
      .waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('a person on the Audit screen, with a phone', () => {
  it('reads the outcome of a check and of an export that fails', async () => {
    const gateway = await gatewayWithEntries();
    const { page } = await openBrowser({ width: 320, height: 640 });
    await changeAnswers(page, failing('audit.export', 'the disk is full'));
    await gateway.logIn(page);
    await openScreen(page, '/audit');
    await page.getByRole('button', { name: 'Check the chain' }).click();
    await page.getByRole('status').getByText('The chain is intact').waitFor();
    await page.getByRole('button', { name: 'JSONL' }).click();
    await page.getByRole('alert').getByText('the export failed: the disk is full').waitFor();
    await checkViews(page, 'audit-failed');
  });

  it('scrolls to the oldest entries', async () => {
    const gateway = await gatewayWithEntries();
    const { page } = await openBrowser({ width: 320, height: 640 });
    await gateway.logIn(page);
    await openScreen(page, '/audit');
    await until(async () => (await countShown(page)) >= ENTRIES, 'the count');
    await scrollTo(page, 'table.scrollHeight');
    await table(page).getByText('git push origin v1', { exact: true }).waitFor();
  });
});

describe.skipIf(!hasChromium)('the Audit screen, light, dark and on a phone', () => {
  it('has no violation that axe finds, none of the Content-Security-Policy, and does not scroll sideways', async () => {
    const gateway = await gatewayWithEntries();
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'echo "a \u202e b"' });
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/audit');
    await until(async () => (await countShown(page)) > ENTRIES, 'the count');
    await table(page).getByText('U+202E').first().waitFor();
    await checkViews(page, 'audit');
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Audit']);
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toMatch(/\p{Bidi_Control}/u);
    await table(page)
      .getByRole('button', { name: /entry \d+$/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: /^Entry/ }).waitFor();
    await checkViews(page, 'audit-entry');
    await page.keyboard.press('Escape');
    await search(page, 'event:denied agent:nobody');
    await page.getByRole('heading', { name: 'No match' }).waitFor();
    await checkViews(page, 'audit-none');
    expect(problems).toEqual([]);
  });
});
