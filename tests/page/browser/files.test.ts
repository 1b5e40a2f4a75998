import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runPincer } from '../../apps/serve/serving.ts';
import { until } from '../../support/patience.ts';
import { changeAnswers } from './changed-answers.ts';
import { openBrowser } from './chromium.ts';
import { readBytes, STAGING, startWithFiles, writeFile } from './files-workspace.ts';
import type { PageGateway } from './gateway.ts';
import { callAsPage } from './own-socket.ts';

const TAG = 'oc://"deploy/staging.yaml"/image/tag';
const address = (page: Page) => page.getByRole('combobox', { name: 'Address' });
const addressedLine = (page: Page) => page.getByRole('region', { name: /^Text of/u }).locator('li[aria-current]');
const slots = (page: Page) => page.locator('.slots');

async function openFiles(gateway: PageGateway, page: Page): Promise<void> {
  await gateway.logIn(page);
  await page.getByRole('link', { name: 'Files', exact: true }).first().click();
  await page.getByRole('button', { name: 'deploy' }).waitFor();
}

async function goTo(page: Page, typed: string): Promise<void> {
  await address(page).fill(typed);
  await page.keyboard.press('Enter');
}

describe('the screen Files', () => {
  it('goes to a typed address, and marks its line and its value', async () => {
    const gateway = await startWithFiles();
    const { page, problems } = await openBrowser();
    await openFiles(gateway, page);
    await page.keyboard.press('/');
    await page.keyboard.type(TAG);
    await page.keyboard.press('Enter');
    await addressedLine(page).waitFor();
    expect(await addressedLine(page).locator('.line-number').textContent()).toBe('6');
    expect(await addressedLine(page).locator('mark').textContent()).toBe('"1.11"');
    expect(await slots(page).textContent()).toBe('file deploy/staging.yamlsection imageitem tagstring, line 6');
    expect(new URL(page.url()).pathname).toBe('/files/deploy/staging.yaml');
    expect(
      await page
        .getByRole('navigation', { name: 'Outline' })
        .getByRole('link', { name: 'tag' })
        .getAttribute('aria-current'),
    ).toBe('true');
    expect(problems).toEqual([]);
  });

  it('offers the addresses of the outline while a person types', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await openFiles(gateway, page);
    await page.goto(`${gateway.server.base}/files/deploy/staging.yaml`);
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('link', { name: 'memory' }).waitFor();
    await address(page).fill('memory');
    await page.getByRole('option', { name: 'oc://"deploy/staging.yaml"/limits/memory' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await addressedLine(page).filter({ hasText: '512Mi' }).waitFor();
    expect(await address(page).inputValue()).toBe('oc://"deploy/staging.yaml"/limits/memory');
  });

  it('shows what is wrong with an address at its slot, while it is typed', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await openFiles(gateway, page);
    for (const [typed, wrong, message] of [
      ['oc://"deploy/staging.yaml"/image/color', 'item color', 'there is no such item'],
      ['oc://"deploy/staging.yaml"/color/tag', 'section color', 'there is no such section'],
      ['oc://"deploy/none.yaml"/image', 'file deploy/none.yaml', 'file not found'],
      ['oc://"../secret.yaml"/a', '"../secret.yaml"/a', 'must not'],
      ['oc://"deploy/staging.yaml"/image/[tag', '/[tag', "'[' is not closed"],
    ] as const) {
      await address(page).fill(typed);
      await slots(page).locator('.wrong', { hasText: wrong }).waitFor();
      expect(await slots(page).locator('.chip.no').textContent()).toContain(message);
    }
    expect(new URL(page.url()).pathname).toBe('/files');
  });

  it('says why an address could not be looked up', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await changeAnswers(page, ({ method, params }, { id }) => {
      const { args } = params as { readonly args?: { readonly path?: string } };
      return method === 'tool.call' && args?.path?.includes('/secret') === true
        ? { type: 'fault', id, fault: { code: 'INTERNAL', message: 'the disk is full', hint: 'make room on it' } }
        : undefined;
    });
    await openFiles(gateway, page);
    const alert = page.locator('.address-bar').getByRole('alert');
    await address(page).fill('oc://"deploy/staging.yaml"/secret');
    await alert.getByText('the disk is full').waitFor();
    await address(page).fill(TAG);
    await slots(page).getByText('string, line 6').waitFor();
    expect(await alert.count()).toBe(0);
    await goTo(page, 'oc://"deploy/staging.yaml"/secret');
    await alert.getByText('make room on it').waitFor();
  });

  it('shows a file with hidden characters as badges, and the page holds none of them', async () => {
    const gateway = await startWithFiles({ 'odd \u202etxt.md': 'a \u202e b\n' });
    const { page } = await openBrowser();
    await openFiles(gateway, page);
    await page.getByRole('link', { name: 'odd' }).click();
    await page
      .getByRole('region', { name: /^Text of/u })
      .getByText('U+202E')
      .waitFor();
    expect(await page.evaluate('document.body.innerText')).not.toMatch(/\p{Bidi_Control}/u);
  });
});

describe('a value', () => {
  it('is written after its diff was shown, and nothing else in the file changes', async () => {
    const gateway = await startWithFiles();
    const { page, problems } = await openBrowser();
    await openFiles(gateway, page);
    await goTo(page, TAG);
    await page.getByLabel('Set to').fill('1.12');
    await page.getByRole('button', { name: 'Preview' }).click();
    const diff = page.getByRole('region', { name: 'What would be written' });
    await diff.waitFor();
    expect(await diff.textContent()).toContain('-  tag: "1.11"   # keep the quotes+  tag: "1.12"   # keep the quotes');
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(STAGING);
    await page.getByRole('button', { name: 'Write' }).click();
    await addressedLine(page).filter({ hasText: '1.12' }).waitFor();
    expect(readBytes(gateway, 'deploy/staging.yaml')).toEqual(Buffer.from(STAGING.replace('1.11', '1.12')));
    const { stdout } = await runPincer(gateway.home, ['events', '--audit', '--json']);
    expect(stdout).toMatch(/"by":\s*"page:operator-1"/u);
    expect(stdout).toContain('staging.yaml');
    expect(problems).toEqual([]);
  });

  it('gets another type only as JSON', async () => {
    const gateway = await startWithFiles();
    const { page, problems } = await openBrowser();
    await openFiles(gateway, page);
    await goTo(page, 'oc://"deploy/staging.yaml"/replicas');
    await page.getByLabel('Set to').fill('"two"');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('--value-json writes a value of another type').waitFor();
    await page.getByLabel(/^As JSON/u).check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Write' }).click();
    await addressedLine(page).filter({ hasText: 'two' }).waitFor();
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(STAGING.replace('replicas: 2', 'replicas: two'));
    expect(problems).toEqual([]);
  });

  it('is not written when the file changed after the preview, and the new diff is shown', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await openFiles(gateway, page);
    await goTo(page, TAG);
    await page.getByLabel('Set to').fill('1.12');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('region', { name: 'What would be written' }).waitFor();
    const other = STAGING.replace('replicas: 2', 'replicas: 3');
    writeFile(gateway, 'deploy/staging.yaml', other);
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByText('The file has changed, and nothing was written.').waitFor();
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(other);
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByText('Written. Undo is in Changes.').waitFor();
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(other.replace('1.11', '1.12'));
  });

  it('of an environment file stays hidden, and can be set', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await openFiles(gateway, page);
    await goTo(page, 'oc://.env/TOKEN');
    await addressedLine(page).filter({ hasText: 'TOKEN=***' }).waitFor();
    await page.getByLabel('Set to').fill('ghijkl');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Write' }).click();
    await until(() => readBytes(gateway, '.env').toString() === 'PORT=8080\nTOKEN=ghijkl\n', 'the new value');
    expect(await page.content()).not.toContain('abcdef');
  });

  it('of a file that configures Pincer is locked, with the reason', async () => {
    const gateway = await startWithFiles({ 'pincer.jsonc': '{"tools": {"deny": ["process"]}}\n' });
    const { page } = await openBrowser();
    await openFiles(gateway, page);
    await page.getByRole('button', { name: '.git locked' }).waitFor();
    await page.getByRole('link', { name: 'pincer.jsonc locked' }).click();
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('link', { name: 'process' }).click();
    await page.getByText('This file is locked.').waitFor();
    expect(await page.locator('.set-value').textContent()).toContain('configures what agents may do');
  });

  it('cannot be written by a viewer, who sees the diff and why', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await gateway.logIn(page, 'viewer');
    await page.goto(`${gateway.server.base}/files?${new URLSearchParams({ at: TAG })}`);
    await page.getByLabel('Set to').fill('1.12');
    await page.keyboard.press('Enter');
    const write = page.getByRole('button', { name: 'Write' });
    await write.waitFor();
    expect([await write.getAttribute('aria-disabled'), await write.getAttribute('title')]).toEqual([
      'true',
      expect.stringContaining('viewer'),
    ]);
    await write.press('Enter');
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(STAGING);
    const answer = await callAsPage(page, 'tool.call', { tool: 'path', args: { verb: 'set', path: TAG, value: '9' } });
    expect(answer).toMatchObject({ type: 'fault', fault: { code: 'LOGIN_ROLE' } });
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(STAGING);
  });
});
