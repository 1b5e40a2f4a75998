import { describe, expect, it } from 'vitest';
import { exitCodeOfSession, sessionState, failureText } from '../../../../src/apps/cli/exec/session-end.ts';
import type { SessionInfo } from '../../../../src/wire/session.ts';

const BASE = { id: 'brisk-otter', status: 'failed', waitingForInput: false } as SessionInfo;

describe('the end of a session', () => {
  it.each([
    [{ status: 'completed', exitCode: 0 }, 0, 'exit 0', undefined],
    [{ status: 'completed', exitCode: 42 }, 42, 'exit 42', undefined],
    [{ status: 'completed', exitSignal: 'SIGSEGV' }, 139, 'SIGSEGV', undefined],
    [
      { failure: 'timeout', exitSignal: 'SIGTERM', failureNote: '5' },
      124,
      'timeout',
      'brisk-otter was ended by its timeout of 5 s',
    ],
    [{ failure: 'killed', exitSignal: 'SIGKILL' }, 137, 'killed', 'brisk-otter was killed'],
    [{ failure: 'aborted', exitSignal: 'SIGTERM' }, 143, 'aborted', 'brisk-otter was aborted'],
    [{ failure: 'killed', exitCode: 3 }, 3, 'killed', 'brisk-otter was killed'],
    [
      { failure: 'spawn-failed', failureNote: 'no such file' },
      127,
      'spawn-failed',
      'brisk-otter could not be started: no such file',
    ],
    [{ failure: 'lost' }, 3, 'lost', 'brisk-otter was lost'],
  ] as const)('%j', (part, code, state, why) => {
    const session: SessionInfo = { ...BASE, ...part };
    expect([exitCodeOfSession(session), sessionState(session), failureText(session)]).toEqual([code, state, why]);
  });

  it.each([
    [false, 'running'],
    [true, 'waiting for input'],
  ])('has not come: waiting for input %j', (waitingForInput, state) => {
    expect(sessionState({ ...BASE, status: 'running', waitingForInput })).toBe(state);
  });

  it('is not known while its node is not connected', () => {
    expect(sessionState({ ...BASE, status: 'running', unreachableSince: 1 })).toBe('running, node offline');
  });
});
