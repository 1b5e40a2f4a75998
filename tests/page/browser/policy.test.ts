/** The Policy screen: what happens to commands, why, and the approvals file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { invitedNode, json, RUNS_ALL } from '../../apps/node/machines.ts';
import { until } from '../../support/patience.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, type PageGateway, startGateway, textIn } from './gateway.ts';
import { callAsPage } from './own-socket.ts';
import { checkViews, named, openScreen } from './views.ts';

interface Approvals {
  readonly path: string;
  readonly document: object;
}

const allowlist = (page: Page): Locator => page.getByRole('table', { name: 'Allowlist' }).getByRole('row');

async function approvalsFile({ home }: PageGateway): Promise<string> {
  return ((await json(home, ['approvals', 'get'])) as Approvals).path;
}

async function fillEntry(page: Page, program: string, args: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add entry…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add entry' });
  await dialog.getByRole('textbox', { name: 'Program' }).fill(program);
  await dialog.getByRole('textbox', { name: 'Arguments begin with' }).fill(args);
  return dialog;
}

describe.skipIf(!hasChromium)('a person on the Policy screen', () => {
  it('explains a command: its stages, its verdict, and carets below what made policy ask', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/policy');
    await page.locator('.postures').getByText('Judged').waitFor();
    await page.getByRole('textbox', { name: 'Command' }).fill('cat a.txt | touch made.txt');
    await page.keyboard.press('Enter');
    await page.getByText('Would ask a person').waitFor();
    const command = page.getByRole('group', { name: 'The command' });
    expect(await command.textContent()).toBe('cat a.txt | touch made.txt');
    expect((await command.locator('mark').allTextContents()).length).toBeGreaterThan(0);
    const stages = page.locator('.stages li');
    expect(await stages.count()).toBe(2);
    expect(await stages.nth(1).textContent()).toContain('touch made.txt');
    expect(new URL(page.url()).pathname).toBe('/policy/explain');
    expect(new URL(page.url()).searchParams.get('c')).toBe('cat a.txt | touch made.txt');
    // Nothing ran, and nobody is asked.
    expect(await json(gateway.home, ['approvals', 'list', '--all'])).toMatchObject({ approvals: [] });
    expect(problems).toEqual([]);
  });

  it('sees the explanation of a command change with the rules, and the folder that an entry is for', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/policy/explain?c=touch+made.txt');
    await page.getByText('Would ask a person').waitFor();
    const entry = { pattern: '/usr/bin/touch', argv: [], cwd: gateway.home.folder };
    const rules = { version: 1, agents: { '*': { allowlist: [entry] } } };
    writeFileSync(await approvalsFile(gateway), JSON.stringify(rules), { mode: 0o600 });
    await (await fillEntry(page, '/usr/bin/touch', '')).getByRole('button', { name: 'Add' }).click();
    await page.getByText('The list behind this dialog is current now.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('Would run at once').waitFor();
    expect(await allowlist(page).nth(1).textContent()).toContain(`nonein ${gateway.home.folder}`);
  });

  it('explains a request in its own folder', async () => {
    const gateway = await startGateway();
    const { folder, workspace } = gateway.home;
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const entry = { pattern: '/usr/bin/touch', cwd: elsewhere };
    const rules = { version: 1, defaults: { ask: 'always' }, agents: { '*': { allowlist: [entry] } } };
    writeFileSync(await approvalsFile(gateway), JSON.stringify(rules), { mode: 0o600 });
    const agent = await connectAgent(gateway);
    await agent.call('exec', { command: 'touch made.txt', workdir: elsewhere });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await page.getByRole('button', { name: 'Explain' }).click();
    const folderField = page.getByRole('textbox', { name: 'Folder' });
    await until(async () => (await folderField.inputValue()) === elsewhere, 'the folder of the request');
    await page.locator('.stages').getByText('allowlisted').waitFor();
    await folderField.fill(workspace);
    await page.keyboard.press('Enter');
    await page.locator('.stages').getByText('allowlist-miss').waitFor();
    expect(new URL(page.url()).searchParams.get('folder')).toBe(workspace);
    await page.getByRole('combobox', { name: 'Host' }).selectOption({ label: 'this machine' });
    expect(new URL(page.url()).searchParams.get('folder')).toBe(workspace);
  });

  it('explains a request by the rules of its own node', async () => {
    const gateway = await startGateway({ config: { ...RUNS_ALL, nodes: { listen: '127.0.0.1:0' } } });
    for (const name of ['web-1', 'web-2']) await invitedNode(gateway.home, RUNS_ALL, name);
    const list = (await json(gateway.home, ['nodes', 'list'])) as readonly { id: string; name: string }[];
    const { id } = list.find(({ name }) => name === 'web-2')!;
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, `/policy/explain?${new URLSearchParams({ c: 'pwd', host: 'node', node: id, folder: '/' })}`);
    await page.getByText('by the rules of node web-2').waitFor();
    expect(await page.getByRole('combobox', { name: 'Node' }).locator('option:checked').textContent()).toBe('web-2');
    expect(await page.getByRole('textbox', { name: 'Folder on the node' }).inputValue()).toBe('/');
  });

  it('reads a command with hidden characters as badges, until it is edited', async () => {
    const gateway = await startGateway();
    const command = 'touch "fix \u202etxt.exe"\nls';
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, `/policy/explain?${new URLSearchParams({ c: command })}`);
    const given = page.getByRole('group', { name: 'Command', exact: true });
    await given.getByText('U+202E').waitFor();
    expect(await page.getByRole('textbox', { name: 'Command' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Explain' }).click();
    expect(new URL(page.url()).searchParams.get('c')).toBe(command);
    await checkViews(page, 'policy-hidden');
    await given.getByRole('button', { name: named('Edit', 'Command') }).click();
    const field = page.getByRole('textbox', { name: 'Command' });
    await page.locator('textarea:focus').waitFor();
    expect(await field.inputValue()).toBe(command);
    await page.getByText('Hidden characters:').waitFor();
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toMatch(/\p{Bidi_Control}/u);
    await field.fill('ls');
    await page.keyboard.press('Control+Enter');
    await until(() => new URL(page.url()).searchParams.get('c') === 'ls', 'the edited command');
  });

  it('adds an entry that lets a command run, and removes it', async () => {
    const gateway = await startGateway();
    const agent = await connectAgent(gateway);
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/policy');
    const dialog = await fillEntry(page, '/usr/bin/touch', 'made.txt');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const row = allowlist(page).filter({ hasText: '/usr/bin/touch' });
    await row.getByText('Never', { exact: true }).waitFor();
    expect(textIn(await agent.call('exec', { command: 'touch made.txt' }))).not.toContain('approval');
    await row.getByRole('button', { name: named('Remove…', '/usr/bin/touch') }).click();
    await page.getByRole('dialog', { name: 'Remove entry' }).getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(textIn(await agent.call('exec', { command: 'touch made.txt' }))).toContain('approval');
    expect(problems).toEqual([]);
  });

  it('cannot save over a change from elsewhere, keeps what was typed, and can send it again', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/policy');
    const dialog = await fillEntry(page, '/usr/bin/touch', 'made.txt');
    const file = await approvalsFile(gateway);
    const before = `${JSON.stringify({ version: 1, defaults: { ask: 'always' } })}\n`;
    writeFileSync(file, before, { mode: 0o600 });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').getByText('Not changed.').waitFor();
    expect(readFileSync(file, 'utf8')).toBe(before);
    await checkViews(page, 'policy-refused');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ defaults: { ask: 'always' } });
    await until(() => readFileSync(file, 'utf8').includes('/usr/bin/touch'), 'the entry');
  });

  it('as a viewer can explain, but neither the page nor the server changes an entry', async () => {
    const gateway = await startGateway();
    const { page } = await openBrowser();
    await gateway.logIn(page, 'viewer');
    await openScreen(page, '/policy/explain?c=git%20push');
    await page.getByText('Would ask a person').waitFor();
    const add = page.getByRole('button', { name: 'Add entry…' });
    expect([await add.getAttribute('aria-disabled'), await add.getAttribute('title')]).toEqual([
      'true',
      expect.stringContaining('viewer'),
    ]);
    const change = { kind: 'add', agent: '*', entry: { pattern: '/usr/bin/git' } };
    expect(await callAsPage(page, 'rules.set', { change, revision: '' })).toMatchObject({
      type: 'fault',
      fault: { code: 'LOGIN_ROLE' },
    });
  });
});

describe.skipIf(!hasChromium)('the Policy screen, light, dark and on a phone', () => {
  it('has no violation that axe finds, none of the Content-Security-Policy, and does not scroll sideways', async () => {
    const gateway = await startGateway();
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/policy');
    await page.getByText('No entry:').waitFor();
    await page.locator('.postures').getByText('Judged').waitFor();
    await checkViews(page, 'policy-empty');
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Policy']);
    await fillEntry(page, '/usr/bin/git', 'log, status, diff --stat');
    await checkViews(page, 'policy-add');
    await page.keyboard.press('Enter');
    await allowlist(page).filter({ hasText: '/usr/bin/git' }).waitFor();
    await openScreen(
      page,
      `/policy/explain?${new URLSearchParams({ c: 'git log | touch "fix \u202etxt.exe" && git push' })}`,
    );
    await page.getByText('Would ask a person').waitFor();
    await page.getByRole('group', { name: 'The command' }).getByText('U+202E').waitFor();
    await allowlist(page).filter({ hasText: '/usr/bin/git' }).waitFor();
    await checkViews(page, 'policy');
    await page.getByRole('button', { name: named('Remove…', '/usr/bin/git') }).click();
    await checkViews(page, 'policy-remove');
    expect(problems).toEqual([]);
  });
});
