import { expect, test } from 'vitest';
import { stateLabel } from '../../../../src/page/screens/sessions/session-state.ts';
import type { SessionInfo } from '../../../../src/wire/session.ts';
import { sessionExample } from './session-example.ts';

const NOW = Date.parse('2026-01-02T10:00:00');
const ended = { status: 'failed', endedAt: 2_000 } as const;

const CASES: readonly (readonly [Partial<SessionInfo>, string, string])[] = [
  [{}, 'ok', 'Running'],
  [{ waitingForInput: true }, 'ask', 'Waits for input'],
  [{ waitingForInput: true, unreachableSince: NOW - 60_000 }, 'no', 'Unreachable since 09:59:00'],
  [{ status: 'completed', exitCode: 0 }, 'muted', 'Code 0'],
  [{ ...ended, exitCode: 1 }, 'no', 'Code 1'],
  [{ ...ended, exitSignal: 'SIGSEGV' }, 'no', 'Ended by SIGSEGV'],
  [{ ...ended, failure: 'lost' }, 'no', 'Lost'],
  [{ ...ended, failure: 'lost', exitCode: 0 }, 'no', 'Lost'],
  [{ ...ended, failure: 'killed', exitSignal: 'SIGKILL' }, 'no', 'Killed'],
  [{ ...ended, failure: 'timeout' }, 'no', 'Timed out'],
  [{ ...ended, failure: 'aborted' }, 'no', 'Aborted'],
  [{ ...ended, failure: 'spawn-failed' }, 'no', 'Not started'],
];

test.each(CASES)('%o is %s: %s', (changes, tone, text) => {
  expect(stateLabel(sessionExample(changes), NOW)).toMatchObject({ tone, text });
});
