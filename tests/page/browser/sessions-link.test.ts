/** Sessions in real Chromium when the link is lost, and what a person holds when time goes on. */
import { expect, test } from 'vitest';
import { runPincer } from '../../apps/serve/serving.ts';
import { until } from '../../support/patience.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { cuttableLink } from './cuttable-link.ts';
import { connectAgent, startGateway } from './gateway.ts';
import { OPEN_POLICY, sessionOf, setVisibility, startSession, takeControl, terminalText } from './sessions.ts';

const LOST = 'The link to the gateway is lost.';

test.skipIf(!hasChromium)('a terminal that was shown without a link continues when the link is back', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'stty -echo; echo one; read a; echo two; read b', pty: true });
  const { page } = await openBrowser();
  const link = await cuttableLink(page);
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}`);
  const rows = page.locator('.xterm-rows');
  await rows.getByText('one').waitFor();
  await setVisibility(page, 'hidden');
  await link.cut();
  await page.getByText(LOST).waitFor();
  await setVisibility(page, 'visible');
  link.mend();
  await agent.call('process', { action: 'submit', sessionId: id });
  await rows.getByText('two').waitFor();
  expect((await terminalText(page)).match(/one/gu)?.length).toBe(1);
  expect(await page.locator('.session-body').getByRole('alert').count()).toBe(0);
});

test.skipIf(!hasChromium)('a recording that was opened without a link is read when the link is back', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'echo recorded', pty: true });
  await until(async () => (await sessionOf(gateway, id))?.status === 'completed', 'the end');
  const { page } = await openBrowser();
  const link = await cuttableLink(page);
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/none`);
  await page.getByRole('link', { name: 'echo recorded' }).waitFor();
  await link.cut();
  await page.getByText(LOST).waitFor();
  await page.getByRole('link', { name: 'echo recorded' }).click();
  await page.getByText('Reading the recording').waitFor();
  link.mend();
  await page.getByRole('slider', { name: 'Moment' }).waitFor();
  await page.locator('.xterm-rows').getByText('recorded').waitFor();
});

test.skipIf(!hasChromium)('what is typed into a terminal that ends is not a key of the page', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'stty -echo; cat', pty: true });
  const { page } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}`);
  await takeControl(page);
  const killed = runPincer(gateway.home, ['kill', id]);
  const recording = page.getByRole('button', { name: 'Play', exact: true });
  await until(async () => {
    await page.keyboard.press('x');
    return recording.isVisible();
  }, 'the recording in place of the terminal');
  await page.keyboard.type('xga');
  await killed;
  expect(new URL(page.url()).pathname).toBe(`/sessions/${id}`);
  await until(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    return new URL(page.url()).pathname === '/';
  }, 'the keys of the page');
});

test.skipIf(!hasChromium)('the thumb of the live scrubber stays where the hand holds it', async () => {
  const gateway = await startGateway({ config: OPEN_POLICY });
  const agent = await connectAgent(gateway);
  const id = await startSession(agent, { command: 'cat', pty: true });
  const { page } = await openBrowser();
  await gateway.logIn(page);
  await page.goto(`${gateway.server.base}/sessions/${id}`);
  const slider = page.getByRole('slider', { name: 'Moment' });
  await until(async () => Number(await slider.inputValue()) >= 4, 'four seconds of recording');
  const box = (await slider.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const held = await slider.inputValue();
  const max = await slider.getAttribute('max');
  const times = page.locator('.scrubber .times');
  const before = await times.textContent();
  await until(async () => (await times.textContent()) !== before, 'another second');
  expect([await slider.inputValue(), await slider.getAttribute('max')]).toEqual([held, max]);
  await page.mouse.up();
  await until(() => new URL(page.url()).search === `?t=${held}`, 'the recording at the chosen moment');
});
