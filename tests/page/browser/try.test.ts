import { describe, expect, it } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from './chromium.ts';
import { startWithFiles } from './files-workspace.ts';

describe('the screen Try it', () => {
  it('runs read, and shows the result as the agent gets it', async () => {
    const gateway = await startWithFiles();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await page.getByRole('link', { name: 'Try it' }).first().click();
    await page.getByRole('link', { name: /^read / }).click();
    await page.getByText('7 optional parameters').click();
    await page.getByRole('textbox', { name: 'limit' }).fill('many');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText('This is not a number.').waitFor();
    await page.getByRole('textbox', { name: 'path' }).fill('README.md');
    await page.getByRole('textbox', { name: 'limit' }).fill('1');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Text for the model' }).getByText('# Shop').waitFor();
    await page.getByText('Details, for programs').click();
    expect(await page.getByRole('region', { name: 'Details' }).textContent()).toContain('"totalLines": 1');
    const copied = await page.getByRole('region', { name: 'Copy as call' }).textContent();
    expect(copied).toContain(`pincer call read '{"path":"README.md","limit":1}'`);
    expect(copied).toContain('"method": "tools/call"');
    expect(problems).toEqual([]);
  });

  it('asks about a command as for the agent: it runs after the answer in Approvals, and not before', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await page.goto(`${gateway.server.base}/try?tool=exec`);
    await page.getByRole('textbox', { name: 'command' }).fill('touch tried.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Answer it in Approvals' }).click();
    await page.getByRole('button', { name: /^Allow once\s*: touch tried\.txt/u }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Approvals');
    expect(existsSync(join(gateway.home.workspace, 'tried.txt'))).toBe(false);
  });

  it('lets a viewer read, and run nothing', async () => {
    const gateway = await startWithFiles();
    const { page } = await openBrowser();
    await gateway.logIn(page, 'viewer');
    await page.goto(`${gateway.server.base}/try?tool=exec`);
    const run = page.getByRole('button', { name: 'Run' });
    await run.waitFor();
    expect(await run.getAttribute('title')).toContain('viewer');
    await page.goto(`${gateway.server.base}/try?tool=read`);
    await page.getByRole('textbox', { name: 'path' }).fill('README.md');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Text for the model' }).getByText('# Shop').waitFor();
  });
});
