/** Much output, missing output and hostile output in real Chromium. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { timeoutFor } from '../../support/budget.ts';
import { until } from '../../support/patience.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, startGateway } from './gateway.ts';
import {
  OPEN_POLICY,
  sessionOf,
  setVisibility,
  startSession,
  takeControl,
  terminalRows,
  terminalText,
} from './sessions.ts';

const MB = 1 << 20;
const LINE = 100;

/** Writes lines of 100 bytes up to a size, says so, and waits until it is told to end. */
const WRITER = `
import { existsSync, writeSync } from 'node:fs';
const [, , size, stop] = process.argv;
const line = (i) => 'line ' + String(i).padStart(9, '0') + ' ' + 'x'.repeat(83) + '\\r\\n';
const batch = 500;
for (let i = 0; i < Number(size) / ${LINE}; i += batch) {
  let text = Buffer.from(Array.from({ length: batch }, (_, k) => line(i + k).slice(0, 98) + '\\r\\n').join(''));
  while (text.length > 0) {
    try {
      text = text.subarray(writeSync(1, text));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
writeSync(1, 'ALL WRITTEN\\r\\n');
const timer = setInterval(() => existsSync(stop) && clearInterval(timer), 50);
`;

/** In bytes, after the garbage is collected. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { readonly usedSize: number };
  return usedSize;
}

test.skipIf(!hasChromium).each([true, false])(
  '50 MB of output (terminal: %s) leave the page usable, and its end is shown',
  async (pty) => {
    const gateway = await startGateway({ config: OPEN_POLICY, files: { 'writer.mjs': WRITER } });
    const agent = await connectAgent(gateway);
    const { page, problems } = await openBrowser();
    await gateway.logIn(page);
    const id = await startSession(agent, { command: `node writer.mjs ${50 * MB} stop`, pty });
    await page.goto(`${gateway.server.base}/sessions/${id}`);
    const shown = page.locator(pty ? '.xterm-rows' : '.output-text');
    await shown.getByText('line 0').first().waitFor();

    // The page answers while the command writes or waits: it cannot end before the file is there.
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.type('writer');
    await page.getByRole('link', { name: 'node writer.mjs' }).waitFor();

    await until(async () => ((await shown.textContent()) ?? '').includes('ALL WRITTEN'), 'the end of the output');
    const text = pty ? await terminalText(page) : (await shown.textContent())!;
    const last = Math.ceil((50 * MB) / LINE / 500) * 500 - 1;
    expect(text).toContain(`line ${String(last).padStart(9, '0')}`);
    expect(await heapOf(page)).toBeLessThan(64 * MB);

    writeFileSync(join(gateway.home.workspace, 'stop'), '');
    await page.locator('.session-head').getByText('Code 0').waitFor();
    await page.reload();
    await page.locator('[data-gap=skipped], .scrubber').first().waitFor();
    expect(problems).toEqual([]);
  },
  timeoutFor(180_000),
);

test.skipIf(!hasChromium)('output that the log has dropped is a gap with its size', async () => {
  const config = { ...OPEN_POLICY, tools: { exec: { ...OPEN_POLICY.tools.exec, maxLogBytes: MB } } };
  const gateway = await startGateway({ config, files: { 'writer.mjs': WRITER, stop: '' } });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: `node writer.mjs ${3 * MB} stop` });
  await until(async () => (await sessionOf(gateway, id))?.status === 'completed', 'the end');
  const { page } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}`);
  const gap = page.locator('[data-gap=dropped]');
  await gap.waitFor();
  expect(await gap.textContent()).toMatch(/Gap: [\d.]+ MB of output is missing/u);
  await until(
    async () => ((await page.locator('.output-text').textContent()) ?? '').includes('ALL WRITTEN'),
    'the end of the log',
  );
});

test.skipIf(!hasChromium)('a hidden tab follows nothing, and catches up by its position when it is shown', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'stty -echo; echo one; read a; echo two; read b', pty: true });
  const { page } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}`);
  const rows = page.locator('.xterm-rows');
  await rows.getByText('one').waitFor();
  await setVisibility(page, 'hidden');
  await agent.call('process', { action: 'submit', sessionId: id });
  await until(async () => (await sessionOf(gateway, id))?.tail.includes('two') === true, 'output for a hidden tab');
  expect(await terminalText(page)).not.toContain('two');
  await setVisibility(page, 'visible');
  await rows.getByText('two').waitFor();
  expect((await terminalText(page)).match(/one/gu)?.length).toBe(1);
});

test.skipIf(!hasChromium)('hostile output changes nothing but its own terminal', async () => {
  const hostile = [
    '\\033]0;Approved\\007\\033]2;Approved\\007',
    '\\033]52;c;cm0gLXJmIC8K\\007',
    '\\033]8;;https://evil.example\\033\\\\link\\033]8;;\\033\\\\',
    '\\033[38;2;1;200;3mcolour\\033[0m',
  ].join('');
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const command = `printf '${hostile}READY\\n'; read line; printf '\\033[6n\\033[c'; cat -v`;
  await startSession(agent, { command, pty: true });
  const { page, problems } = await openBrowser();
  await gateway.logIn(page);
  await page.getByRole('link', { name: 'Sessions' }).first().click();
  await page.locator('.xterm-rows').getByText('READY').waitFor();
  expect(await page.title()).toBe('Sessions · Pincer');
  expect(await page.locator('.session-detail a:not(.back)').count()).toBe(0);
  await takeControl(page);
  await page.keyboard.press('Enter'); // now the program asks, while a person types
  await until(async () => (await terminalText(page)).includes('?1;2c'), 'the answer of the gateway');
  await page.keyboard.type('typed');
  await page.keyboard.press('Enter');
  await until(async () => (await terminalText(page)).match(/typed/gu)?.length === 2, 'the echo, and the line of cat');
  const line = (await terminalRows(page)).findLast((row) => row.endsWith('typed'));
  // The gateway has answered each request once.
  expect(line).toMatch(/^\^\[\[\d+;\d+R\^\[\[\?1;2ctyped$/u);
  expect(problems).toEqual([]);
});
