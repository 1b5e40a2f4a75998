import { expect, it } from 'vitest';
import { shownSessions } from '../../../../src/apps/serve/page/methods/shown-sessions.ts';
import type { SessionInfo } from '../../../../src/wire/session.ts';
import { openPage, pageServer } from './page-client.ts';

const OPEN = { tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } } as const;
/** Each of these characters has six in JSON. */
const LONG = `sleep 60; : '${'\u0001'.repeat(120_000)}'`;

it('an agent with long commands does not hide what runs', async () => {
  const server = await pageServer(OPEN);
  try {
    const page = await openPage(server, await server.logIn('operator'));
    for (let number = 0; number < 14; number++)
      await page.call('tool.call', { tool: 'exec', args: { command: LONG, background: true }, as: 'agent' });
    const sessions = await page.call<readonly SessionInfo[]>('session.list');
    expect(sessions.map(({ status, command }) => [status, command.length])).toEqual(
      Array.from({ length: 14 }, () => ['running', 1_001]),
    );
    page.close();
  } finally {
    await server.close();
  }
});

const session = (id: string, status: SessionInfo['status'], startedAt: number): SessionInfo =>
  ({ id, status, startedAt, command: 'ls', tail: 'x'.repeat(500) }) as SessionInfo;

it('leaves out ended sessions first, and then old ones', () => {
  const all = [
    session('old-run', 'running', 1),
    session('old-end', 'completed', 2),
    session('new-run', 'running', 3),
    session('new-end', 'failed', 4),
  ];
  const ids = (bytes: number): readonly string[] => shownSessions(all, undefined, bytes).map(({ id }) => id);
  expect([10_000, 1_000, 700, 300].map(ids)).toEqual([
    ['old-run', 'old-end', 'new-run', 'new-end'],
    ['old-run', 'new-run', 'new-end'],
    ['old-run', 'new-run'],
    ['new-run'],
  ]);
});
