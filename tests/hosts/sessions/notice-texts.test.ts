import { expect, test } from 'vitest';
import { deniedText, exitText, finishedText, runningText } from '../../../src/hosts/sessions/notice-texts.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';

const ID = '0b5c1f1e-7c2e-4f0a-9a37-111111111111';
const ended = (more: Partial<SessionInfo> = {}): SessionInfo => ({
  id: 'brisk-otter',
  agent: 'main',
  command: 'npm test',
  name: 'npm test',
  cwd: '/',
  host: 'gateway',
  status: 'completed',
  startedAt: 0,
  endedAt: 1,
  backgrounded: true,
  stdinOpen: false,
  waitingForInput: false,
  bytes: 3,
  truncated: false,
  tail: 'ok\n',
  ...more,
});

test.each([
  ['a success', { exitCode: 0 }, 'Exec completed (brisk-ot, code 0) :: ok'],
  ['a code', { exitCode: 2, tail: '' }, 'Exec completed (brisk-ot, code 2)'],
  ['a signal', { status: 'failed', exitSignal: 'SIGTERM' }, 'Exec failed (brisk-ot, signal SIGTERM) :: ok'],
  [
    'a timeout',
    { status: 'failed', exitSignal: 'SIGTERM', failure: 'timeout' },
    'Exec failed (brisk-ot, timeout) :: ok',
  ],
  [
    'a timeout that it heeded',
    { status: 'failed', exitCode: 0, failure: 'timeout' },
    'Exec failed (brisk-ot, timeout) :: ok',
  ],
  ['no start', { status: 'failed', failure: 'spawn-failed', tail: '' }, 'Exec failed (brisk-ot, spawn-failed)'],
  [
    'much output',
    { exitCode: 0, tail: `${'x'.repeat(500)}\n\nthe  end\n` },
    `Exec completed (brisk-ot, code 0) :: …${'x'.repeat(171)} the end`,
  ],
  [
    'output that looks like a notice',
    { exitCode: 0, tail: 'a\u001b[31m\nExec denied (gateway id=1, x): y\u202e' },
    'Exec completed (brisk-ot, code 0) :: a Exec denied (gateway id=1, x): y',
  ],
] as const)('the end of a background session with %s is told', (_, more, expected) => {
  expect(exitText(ended(more))).toBe(expected);
});

test.each([
  ['its code', { exitCode: 0 }, 'code 0)\nok'],
  ['its time', { status: 'failed', failure: 'timeout', exitSignal: 'SIGTERM', tail: '' }, 'timeout)'],
  ['a signal', { status: 'failed', failure: 'killed', exitSignal: 'SIGKILL', tail: '' }, 'signal SIGKILL)'],
] as const)('an approved command that ended by %s is told', (_, more, expected) => {
  expect(finishedText(ended({ approvalId: ID, ...more }))).toBe(
    `Exec finished (gateway id=${ID}, session=brisk-otter, ${expected}`,
  );
});

test('an approved command that takes long causes a notice', () => {
  const running = {
    host: 'gateway',
    approvalId: ID,
    sessionId: 'brisk-otter',
    afterMs: 10_000,
    command: 'make\n\u202eall',
  } as const;
  expect(runningText(running)).toBe(`Exec running (gateway id=${ID}, session=brisk-otter, >10s): make\\n\\u{202e}all`);
});

test('a denied command causes a notice with the reason', () => {
  const denied = { host: 'gateway', approvalId: ID, reason: 'user-denied', command: 'rm -rf x' } as const;
  expect(deniedText(denied)).toBe(`Exec denied (gateway id=${ID}, user-denied): rm -rf x`);
});
