/** Support for the tests of the Sessions screen. */
import type { Page } from 'playwright-core';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { runPincer } from '../../apps/serve/serving.ts';
import type { AgentClient, PageGateway } from './gateway.ts';

/** Commands run without questions, because these tests are about what runs. */
export const OPEN_POLICY = {
  tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } },
  nodes: { listen: '127.0.0.1:0' },
};

/** The visible rows of the terminal, without blanks at their ends. */
export async function terminalRows(page: Page): Promise<readonly string[]> {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd());
}

export async function terminalText(page: Page): Promise<string> {
  return (await terminalRows(page)).join('\n');
}

/** An agent starts a command in the background. The id of its session. */
export async function startSession(agent: AgentClient, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { structuredContent } = await agent.call('exec', { ...args, background: true });
  const { sessionId } = structuredContent as { readonly sessionId?: string };
  if (sessionId === undefined) throw new Error(`no session: ${JSON.stringify(structuredContent)}`);
  return sessionId;
}

/** Undefined for a session that is not known. */
export async function sessionOf({ home }: PageGateway, id: string): Promise<SessionInfo | undefined> {
  const { stdout } = await runPincer(home, ['ps', '--all', '--json']);
  return (JSON.parse(stdout) as readonly SessionInfo[]).find((session) => session.id === id);
}

/** Takes the control, and waits until keys go to the program. */
export async function takeControl(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Type', exact: true }).click();
  await page.getByText('is not judged').waitFor();
  await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
}

/** As if the tab were hidden or shown: a headless browser hides none. */
export function setVisibility(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  return page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'));`,
  );
}
