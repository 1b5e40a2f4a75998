import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/patience.ts';
import { openBrowser } from './chromium.ts';
import { readBytes, STAGING, startWithFiles, writeFile } from './files-workspace.ts';
import { connectAgent, type PageGateway } from './gateway.ts';

const TAG = 'oc://"deploy/staging.yaml"/image/tag';
const NEW = STAGING.replace('1.11', '1.12');

/** An agent changes the file. */
async function withChange(): Promise<PageGateway> {
  const gateway = await startWithFiles();
  const agent = await connectAgent(gateway);
  await agent.call('path', { verb: 'set', path: TAG, value: '1.12' });
  expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(NEW);
  return gateway;
}

async function openChange(gateway: PageGateway, page: Page): Promise<void> {
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/files/changes`);
  await page
    .getByRole('link', { name: /test-agent/u })
    .first()
    .click();
  await page.getByRole('region', { name: 'What it changed' }).waitFor();
}

describe('the record of changes', () => {
  it('says who changed what, and an operator undoes and redoes a change of an agent', async () => {
    const gateway = await withChange();
    const { page, problems } = await openBrowser();
    await openChange(gateway, page);
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe(
      'agent main · test-agent changed deploy/staging.yaml',
    );
    expect(await page.getByRole('region', { name: 'What it changed' }).textContent()).toContain('-  tag: "1.11"');
    await page.getByRole('button', { name: 'Undo…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo this change?' });
    await dialog.getByRole('region', { name: 'What would be written' }).waitFor();
    expect(await dialog.getByRole('region', { name: 'What would be written' }).textContent()).toContain(
      '+  tag: "1.11"',
    );
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(NEW);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await until(() => readBytes(gateway, 'deploy/staging.yaml').toString() === STAGING, 'the old content');
    await page.getByRole('button', { name: 'Redo…' }).click();
    const redo = page.getByRole('dialog', { name: 'Redo this change?' });
    await redo.getByRole('region', { name: 'What would be written' }).waitFor();
    await redo.getByRole('button', { name: 'Redo' }).click();
    await until(() => readBytes(gateway, 'deploy/staging.yaml').toString() === NEW, 'the new content');
    await page
      .getByRole('link', { name: /operator/u })
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });

  it('refuses to undo a change of a file that changed since, with the reason', async () => {
    const gateway = await withChange();
    const later = NEW.replace('replicas: 2', 'replicas: 3');
    writeFile(gateway, 'deploy/staging.yaml', later);
    const { page } = await openBrowser();
    await openChange(gateway, page);
    await page.getByRole('button', { name: 'Undo…' }).click();
    const dialog = page.getByRole('dialog', { name: 'This change cannot be undone' });
    await dialog.getByText('Changed since by another program.').waitFor();
    expect(await dialog.getByRole('alert').textContent()).toContain('changed since');
    expect(await dialog.getByRole('region', { name: /since$/u }).textContent()).toContain('+replicas: 3');
    expect(await dialog.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
    expect(readBytes(gateway, 'deploy/staging.yaml').toString()).toBe(later);
  });

  it('lets a viewer read, and not undo', async () => {
    const gateway = await withChange();
    const { page } = await openBrowser();
    await gateway.logIn(page, 'viewer');
    await page.goto(`${gateway.server.base}/files/changes`);
    await page
      .getByRole('link', { name: /test-agent/u })
      .first()
      .click();
    const undo = page.getByRole('button', { name: 'Undo…' });
    await undo.waitFor();
    expect(await undo.getAttribute('title')).toContain('viewer');
    await undo.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
