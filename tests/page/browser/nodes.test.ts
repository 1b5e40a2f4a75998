/** The Nodes screen, with a real gateway and real nodes on loopback. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { home, invitedNode, json, type Running, RUNS_ALL, started } from '../../apps/node/machines.ts';
import type { Home } from '../../apps/serve/serving.ts';
import { until } from '../../support/patience.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, type PageGateway, startGateway, textIn } from './gateway.ts';
import { checkViews, named, openScreen } from './views.ts';

const CONFIG = { ...RUNS_ALL, nodes: { listen: '127.0.0.1:0' }, agents: { list: [{ id: 'builder' }] } };

interface Machine {
  readonly node: Home;
  readonly running: Running;
}

/** A machine that shows its digits and waits. */
async function waitingNode({ server }: PageGateway, name: string): Promise<Machine & { readonly code: string }> {
  const { url } = server.said['nodes'] as { readonly url: string };
  const node = home(RUNS_ALL);
  const args = ['node', 'run', '--gateway', url, '--name', name, '--workspace', node.workspace];
  const running = started(node, args);
  await until(() => running.state() === 'pending', 'the digits');
  return { node, running, code: String(running.lines.at(-1)?.['code']) };
}

/** Answers wait for a moment after the requests have changed. */
async function pressWhenArmed(button: Locator): Promise<void> {
  await until(async () => (await button.getAttribute('aria-disabled')) === 'false', 'armed answers');
  await button.click();
}

const row = (page: Page, table: string, name: string): Locator =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name });
const config = ({ home: { folder } }: PageGateway): string =>
  readFileSync(join(folder, 'config', 'pincer', 'pincer.jsonc'), 'utf8');

describe.skipIf(!hasChromium)('a person on the Nodes screen', () => {
  it('pairs a machine by its digits, binds an agent to it, and sees it go and come back', async () => {
    const gateway = await startGateway({ config: CONFIG });
    await invitedNode(gateway.home, RUNS_ALL, 'web-2');
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/nodes');
    const { node, running, code } = await waitingNode(gateway, 'web-1');

    const request = page.getByRole('region', { name: /^Pairing request of / });
    await request.getByText(`${code.slice(0, 4)} ${code.slice(4)}`).waitFor();
    await pressWhenArmed(request.getByRole('button', { name: named('The codes match', 'web-1') }));
    await row(page, 'Nodes', 'web-1').getByText('Online, not confirmed there').waitFor();
    const confirm = page.getByText(`pincer node confirm ${code}`);
    await confirm.waitFor();
    await checkViews(page, 'nodes-unconfirmed');
    await page.getByRole('link', { name: 'web-1' }).click();
    await page.getByRole('heading', { level: 2, name: 'web-1' }).waitFor();
    await confirm.waitFor();
    await page.getByRole('link', { name: 'All nodes' }).click();
    await json(node, ['node', 'confirm', code]);
    await row(page, 'Nodes', 'web-1').getByText('Online', { exact: true }).waitFor();
    await confirm.waitFor({ state: 'detached' });
    expect(await request.count()).toBe(0);

    // Two nodes and no binding: a command does not choose one by itself.
    const agent = await connectAgent(gateway, 'builder');
    const place = { command: 'pwd', host: 'node' };
    expect(textIn(await agent.call('exec', place))).not.toContain(node.workspace);
    const builder = row(page, 'Exec node binding', 'builder');
    await builder.getByText('oc://pincer.jsonc/agents.list.0.tools/exec/node').waitFor();
    const before = config(gateway);
    await builder.getByRole('combobox').selectOption('web-1');
    await builder.getByRole('button', { name: named('Save…', 'builder') }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the binding?' });
    await dialog
      .getByRole('region', { name: 'Change of the configuration' })
      .getByText(/^\+.*"node":/u)
      .waitFor();
    expect(config(gateway)).toBe(before);
    await checkViews(page, 'nodes-bind');
    await dialog.getByRole('button', { name: 'Write' }).click();
    await builder.getByText(/runs on node web-1/).waitFor();
    const { id } = ((await json(gateway.home, ['nodes', 'list'])) as readonly { id: string; name: string }[]).find(
      ({ name }) => name === 'web-1',
    )!;
    expect(JSON.parse(config(gateway))).toMatchObject({
      agents: { list: [{ id: 'builder', tools: { exec: { node: id } } }] },
    });
    expect(textIn(await agent.call('exec', place))).toContain(node.workspace);

    await running.end('SIGKILL');
    await row(page, 'Nodes', 'web-1')
      .getByText(/^Offline/)
      .waitFor();
    await builder.getByText(/fails?, none goes elsewhere/).waitFor();
    started(node, ['node', 'run']);
    await row(page, 'Nodes', 'web-1').getByText('Online', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('cannot save a binding over a change from elsewhere, and sees the current state', async () => {
    const gateway = await startGateway({ config: CONFIG });
    for (const name of ['web-1', 'web-2']) await invitedNode(gateway.home, RUNS_ALL, name);
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/nodes');
    const all = page.getByRole('combobox', { name: 'Default node' });
    const save = page.getByRole('button', { name: named('Save…', 'Default') });
    const dialog = page.getByRole('dialog', { name: 'Save the binding?' });
    const diff = dialog.getByRole('region', { name: 'Change of the configuration' });
    await all.selectOption({ label: 'web-1' });
    await save.click();
    await diff.waitFor();
    await json(gateway.home, ['config', 'set', 'tools.exec.node', '"web-2"']);
    const before = config(gateway);
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.getByRole('alert').getByText('Not saved.').waitFor();
    await diff.getByText(/^-.*"web-2"/u).waitFor();
    expect(config(gateway)).toBe(before);
    await checkViews(page, 'nodes-refused');
    await dialog.getByRole('button', { name: 'Write' }).click();
    await page.getByText('Saved: tools.exec.node').waitFor();
    await until(() => !config(gateway).includes('web-2'), 'the setting');
  });

  it('moves through the nodes of a closed list by keyboard, and nothing is written', async () => {
    const gateway = await startGateway({ config: CONFIG });
    for (const name of ['web-1', 'web-2']) await invitedNode(gateway.home, RUNS_ALL, name);
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/nodes');
    const before = config(gateway);
    const all = page.getByRole('combobox', { name: 'Default node' });
    await all.focus();
    for (const name of ['web-1', 'web-2']) {
      await page.keyboard.press('ArrowDown');
      await until(async () => (await all.locator('option:checked').textContent()) === name, name);
    }
    await page.getByRole('button', { name: named('Save…', 'Default') }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(config(gateway)).toBe(before);
  });

  it('creates an invitation that pairs a machine, renames and removes it', async () => {
    const gateway = await startGateway({ config: CONFIG });
    const { page } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/nodes');
    await page.getByRole('heading', { name: 'No machine is paired' }).waitFor();
    await page.getByRole('button', { name: 'Create an invitation' }).click();
    const invitation = page.locator('.snippet code').nth(1);
    await page.getByText('then paste the invitation').waitFor();
    const node = home(RUNS_ALL);
    const running = started(node, ['node', 'run', '--invitation', '-', '--name', 'web-1']);
    running.child.stdin?.write(`${await invitation.textContent()}\n`);
    await page.getByRole('link', { name: 'web-1' }).click();

    await page.getByRole('button', { name: named('Rename…', 'web-1') }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('build');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'build' }).waitFor();
    await page.getByRole('button', { name: named('Remove…', 'build') }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await row(page, 'Nodes', 'build').getByText('Removed').waitFor();
    expect(await running.ended).toBe(3);
  });

  it('as a viewer reads everything, and nothing can be pressed', async () => {
    const gateway = await startGateway({ config: CONFIG });
    await invitedNode(gateway.home, RUNS_ALL, 'web-1');
    await waitingNode(gateway, 'web-2');
    const { page } = await openBrowser();
    await gateway.logIn(page, 'viewer');
    await openScreen(page, '/nodes');
    const match = page.getByRole('button', { name: named('The codes match', 'web-2') });
    await match.click({ force: true });
    await page.getByText('Only an operator can do this.').first().waitFor();
    expect([await match.getAttribute('aria-disabled'), await match.getAttribute('title')]).toEqual([
      'true',
      expect.stringContaining('viewer'),
    ]);
    expect(await page.getByRole('combobox', { name: 'Default node' }).isDisabled()).toBe(true);
    await checkViews(page, 'nodes-viewer');
    expect(await json(gateway.home, ['nodes', 'pending'])).toHaveLength(1);
  });
});

describe.skipIf(!hasChromium)('the Nodes screen, light, dark and on a phone', () => {
  it('has no violation that axe finds, none of the Content-Security-Policy, and does not scroll sideways', async () => {
    const gateway = await startGateway({ config: CONFIG });
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    await openScreen(page, '/nodes');
    await page.getByRole('heading', { name: 'No machine is paired' }).waitFor();
    await checkViews(page, 'nodes-empty');
    await invitedNode(gateway.home, RUNS_ALL, 'web-1');
    const gone = await invitedNode(gateway.home, RUNS_ALL, 'build-machine-in-the-cellar');
    await gone.running.end();
    await waitingNode(gateway, 'laptop');
    await json(gateway.home, ['config', 'set', 'agents.list[0].tools.exec.node', '"web-1"']);
    await openScreen(page, '/nodes');
    await row(page, 'Nodes', 'build-machine')
      .getByText(/^Offline/)
      .waitFor();
    await row(page, 'Exec node binding', 'builder').getByRole('combobox').waitFor();
    await checkViews(page, 'nodes');
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Nodes']);

    await page.getByRole('button', { name: 'Create an invitation' }).click();
    await page.getByText('then paste the invitation').waitFor();
    await checkViews(page, 'nodes-invitation');
    await page.getByRole('link', { name: 'web-1' }).click();
    await page.getByText('Its own configuration and approvals decide').waitFor();
    await checkViews(page, 'nodes-detail');
    await page.getByRole('button', { name: 'Rename…' }).click();
    await checkViews(page, 'nodes-rename');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove…' }).click();
    await checkViews(page, 'nodes-remove');
    expect(problems).toEqual([]);
  });
});
