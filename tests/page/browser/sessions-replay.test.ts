/** Recordings in real Chromium: any moment shows what a terminal showed then. */
import { isDeepStrictEqual } from 'node:util';
import xterm from '@xterm/headless';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readCastPage, CAST_START } from '../../../src/page/screens/sessions/replay/cast-reader.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { until } from '../../support/patience.ts';
import { runPincer } from '../../apps/serve/serving.ts';
import { violationsOn } from './axe.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { connectAgent, type PageGateway, startGateway } from './gateway.ts';
import { screenshot } from './screenshots.ts';
import { OPEN_POLICY, sessionOf, startSession, terminalRows, terminalText } from './sessions.ts';

/** After a key, it draws another screen every 40 ms, with colours and a scroll region. */
const PROGRAM = `
process.stdout.write('\\x1b[?1049h\\x1b[2J\\x1b[1mBuild\\x1b[0m  press Enter to start');
let i = 0;
const row = (n) => '\\x1b[' + n + ';1H';
function paint() {
  i++;
  const done = '█'.repeat(i) + '░'.repeat(25 - i);
  process.stdout.write(row(1) + '\\x1b[1mBuild\\x1b[0m  step ' + i + ' of 25\\x1b[K' + row(2) + '\\x1b[34m' + done + '\\x1b[0m');
  process.stdout.write(row(4 + (i % 9)) + '\\x1b[3' + (1 + (i % 6)) + 'mcompiled module ' + i + '\\x1b[0m\\x1b[K');
  if (i === 12) process.stdout.write('\\x1b[5;8r' + row(8) + '\\n\\n\\x1b[r');
  if (i < 25) return setTimeout(paint, 40);
  process.stdout.write('\\x1b[?1049lthe end\\r\\n');
  process.stdin.pause();
}
process.stdin.once('data', paint);
`;

async function recordedSession(gateway: PageGateway): Promise<{ readonly id: string; readonly cast: string }> {
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'node build.mjs', pty: true });
  await until(async () => (await sessionOf(gateway, id))?.tail.includes('press Enter') === true, 'the program');
  await agent.call('process', { action: 'resize', sessionId: id, cols: 100, rows: 26 });
  await agent.call('process', { action: 'submit', sessionId: id });
  await until(async () => (await sessionOf(gateway, id))?.status === 'completed', 'the end');
  const { stdout: cast } = await runPincer(gateway.home, ['logs', id, '--recording']);
  return { id, cast };
}

/** The visible rows of a terminal that was fed with the recording up to a moment. */
async function rowsAt(cast: string, ms: number): Promise<readonly string[]> {
  const { start, events } = readCastPage(cast, CAST_START, true);
  const terminal = new xterm.Terminal({ ...start.size, allowProposedApi: true, logLevel: 'off' });
  for (const event of events) {
    if (event.ms > ms) break;
    if (event.kind === 'output') await new Promise<void>((resolve) => terminal.write(event.text, resolve));
    if (event.kind === 'resize') terminal.resize(event.size.cols, event.size.rows);
  }
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) =>
    active
      .getLine(active.baseY + row)!
      .translateToString(true)
      .trimEnd(),
  );
}

async function scrubTo(page: Page, ms: number): Promise<void> {
  await page.getByRole('slider', { name: 'Moment' }).fill(String(ms));
}

test.skipIf(!hasChromium)('a recording shows the same screen as a terminal that was fed up to the moment', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY, files: { 'build.mjs': PROGRAM } });
  const { id, cast } = await recordedSession(gateway);
  const { page, problems } = await openBrowser();
  await gateway.logIn(page);
  const { events, end } = readCastPage(cast, CAST_START, true);
  const middle = Math.floor(events[Math.floor(events.length / 2)]!.ms / 100) * 100;
  await page.goto(`${gateway.server.base}/sessions/${id}?t=${middle / 1000}`);
  const slider = page.getByRole('slider', { name: 'Moment' });
  await slider.waitFor();
  expect(await slider.inputValue()).toBe(String(middle));
  const shown = async (ms: number): Promise<void> => {
    const rows = await rowsAt(cast, ms);
    await until(async () => isDeepStrictEqual(await terminalRows(page), rows), `the screen of ${ms} ms`);
  };
  await shown(middle);
  expect(await terminalText(page)).toContain('step');
  for (const ms of [end.ms - 200, middle + 100, 0, middle - 100, middle]) {
    await scrubTo(page, Math.floor(ms / 100) * 100);
    await shown(Math.floor(ms / 100) * 100);
  }
  await slider.dispatchEvent('change');
  expect(new URL(page.url()).search).toBe(`?t=${(middle / 1000).toFixed(1)}`);
  expect(await page.locator('.track-box').textContent()).toBe('1 input, 1 resize, no gap');
  expect(await page.locator('.mark').evaluateAll((marks) => marks.map(({ className }) => className))).toEqual([
    'mark resize',
    'mark input',
  ]);
  await screenshot(page, 'sessions-replay-light');
  expect(await violationsOn(page)).toEqual([]);

  await scrubTo(page, 0);
  await page.locator('.terminal-frame').focus();
  await page.getByLabel('Speed').selectOption('8');
  await page.getByRole('button', { name: 'Skip idle' }).click();
  await page.locator('.terminal-frame').focus();
  await page.keyboard.press('Space');
  await until(async () => (await terminalText(page)).includes('the end'), 'the last screen');
  await page.getByRole('button', { name: 'Play' }).waitFor();
  expect(problems).toEqual([]);
});

test.skipIf(!hasChromium)('a running session is shown at a moment, and live again', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'echo first; read line; echo second; read line', pty: true });
  await until(async () => (await sessionOf(gateway, id))?.tail.includes('first') === true, 'the first line');
  await agent.call('process', { action: 'submit', sessionId: id });
  const { page, problems } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}?t=0`);
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  expect(await terminalText(page)).not.toContain('second');
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.locator('.xterm-rows').getByText('second').waitFor();
  expect(new URL(page.url()).search).toBe('');

  await page.getByRole('slider', { name: 'Moment' }).press('Home');
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?t=0');
  expect(problems).toEqual([]);
});

test.skipIf(!hasChromium)('a session that ends while it is watched can be played at once', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'echo first; read line; echo second', pty: true });
  const { page, problems } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}`);
  await page.locator('.xterm-rows').getByText('first').waitFor();
  await agent.call('process', { action: 'submit', sessionId: id });
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.locator('.xterm-rows').getByText('second').waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.goto(`${gateway.server.base}/sessions/gone-otter`);
  await page.getByRole('heading', { name: 'This session was removed' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(problems).toEqual([]);
});

test.skipIf(!hasChromium)('a session that was lost with its gateway is never shown as finished', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  // Not over MCP: the client would start another daemon.
  const started = { command: 'echo before; read line', pty: true, background: true };
  await runPincer(gateway.home, ['call', 'exec', JSON.stringify(started)]);
  const { stdout } = await runPincer(gateway.home, ['ps', '--json']);
  const [{ id }] = JSON.parse(stdout) as readonly [SessionInfo];
  await until(async () => (await sessionOf(gateway, id))?.tail.includes('before') === true, 'the output');
  const { page } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}`);
  await page.locator('.session-head').getByText('Running').waitFor();
  await gateway.killAndRestart();
  await page.reload();
  await page.locator('.session-head .chip').getByText('Lost', { exact: true }).waitFor();
  await page.getByText('Whether and how the command ended is unknown').waitFor();
  await page.locator('.xterm-rows').getByText('before').waitFor();
  expect(await page.locator('.item .chip').textContent()).toBe('Lost');
  expect(await violationsOn(page)).toEqual([]);
});

test.skipIf(!hasChromium)('a recording that is shown while its session runs is whole after the end', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'stty -echo; echo first; read a; echo last', pty: true });
  await until(async () => (await sessionOf(gateway, id))?.tail.includes('first') === true, 'the first line');
  const { page } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}?t=0`);
  const slider = page.getByRole('slider', { name: 'Moment' });
  await slider.waitFor();
  const before = Number(await slider.getAttribute('max'));
  await agent.call('process', { action: 'submit', sessionId: id });
  await until(async () => Number(await slider.getAttribute('max')) > before, 'the rest of the recording');
  await slider.press('End');
  await page.locator('.xterm-rows').getByText('last').waitFor();
});
