import { describe, expect, it } from 'vitest';
import { scrollsSideways, violationsOn } from './axe.ts';
import { openBrowser } from './chromium.ts';
import { startWithFiles, writeFile } from './files-workspace.ts';
import { connectAgent } from './gateway.ts';
import { screenshot } from './screenshots.ts';

const TAG = 'oc://"deploy/staging.yaml"/image/tag';

describe.each([
  { name: 'light', options: {} },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'phone', options: { width: 320, height: 640 } },
] as const)('Files, Changes and Try it, $name', ({ name, options }) => {
  it('have no violation that axe finds, none of the Content-Security-Policy, and do not scroll sideways', async () => {
    const gateway = await startWithFiles();
    const agent = await connectAgent(gateway);
    await agent.call('path', { verb: 'set', path: 'oc://package.json/version', value: '1.0.1' });
    await agent.call('write', { path: 'docs/notes.md', content: '# Notes\n\n- one\n' });
    const { page, problems } = await openBrowser(options);
    await gateway.logIn(page);
    const show = (path: string) => page.goto(gateway.server.base + path);
    const check = async (what: string): Promise<void> => {
      expect([what, await violationsOn(page), await scrollsSideways(page)]).toEqual([what, [], false]);
      await screenshot(page, `${what}-${name}`);
    };
    await show('/files');
    await page.getByRole('link', { name: 'README.md' }).waitFor();
    await check('files-tree');
    await show(`/files?${new URLSearchParams({ at: TAG })}`);
    await page.locator('.source mark').waitFor();
    await check('files');
    await page.getByLabel('Set to').fill('1.12');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('region', { name: 'What would be written' }).waitFor();
    await check('files-preview');
    await page.getByRole('combobox', { name: 'Address' }).fill('oc://"deploy/staging.yaml"/image/color');
    await page.locator('.slots .wrong').waitFor();
    await page.getByRole('combobox', { name: 'Address' }).fill('oc://"deploy/staging.yaml"/env');
    await page.getByRole('option').first().waitFor();
    await check('files-completion');
    await show('/files/pincer.jsonc');
    await page.getByText('Locked', { exact: true }).waitFor();
    await show('/files/changes');
    await page
      .getByRole('link', { name: /test-agent/u })
      .first()
      .waitFor();
    await check('changes');
    await page
      .getByRole('link', { name: /package.json/u })
      .first()
      .click();
    await page.getByRole('region', { name: 'What it changed' }).waitFor();
    await check('changes-detail');
    writeFile(gateway, 'package.json', '{}\n');
    await page.getByRole('button', { name: 'Undo…' }).click();
    await page.getByText('Changed since by another program.').waitFor();
    await check('changes-refused');
    await page.keyboard.press('Escape');
    await show('/try?tool=read');
    await page.getByRole('textbox', { name: 'path' }).fill('README.md');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Text for the model' }).waitFor();
    await check('try');
    await show('/try?tool=exec');
    await page.getByRole('textbox', { name: 'command' }).fill('git push');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Answer it in Approvals' }).waitFor();
    await check('try-asks');
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Try it']);
    expect(problems).toEqual([]);
  });
});
