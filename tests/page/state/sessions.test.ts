import { expect, it } from 'vitest';
import { withSession, withSessions } from '../../../src/page/state/sessions.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';

const session = (id: string, status: SessionInfo['status'], changes: Partial<SessionInfo> = {}): SessionInfo => ({
  agent: 'main',
  id,
  command: 'make',
  name: 'make',
  cwd: '/work',
  host: 'gateway',
  status,
  startedAt: 1,
  backgrounded: false,
  stdinOpen: false,
  waitingForInput: false,
  bytes: 0,
  truncated: false,
  tail: '',
  ...changes,
});

it('an ended session never runs again, in whatever order news arrive', () => {
  const ended = withSession(new Map(), session('brisk-otter', 'completed'));
  expect(withSession(ended, session('brisk-otter', 'running')).get('brisk-otter')?.status).toBe('completed');
  expect(withSessions(ended, [session('brisk-otter', 'running')]).get('brisk-otter')?.status).toBe('completed');
});

it('a new list drops sessions that were removed', () => {
  const known = withSession(new Map(), session('brisk-otter', 'completed'));
  expect([...withSessions(known, [session('calm-fox', 'running')]).keys()]).toEqual(['calm-fox']);
});

it('a session that started after the list was asked for stays', () => {
  const before = withSession(new Map(), session('brisk-otter', 'completed'));
  const known = withSession(before, session('calm-fox', 'running'));
  expect([...withSessions(known, [], before).keys()]).toEqual(['calm-fox']);
});

it('old ended sessions are forgotten, and running ones never', () => {
  let known = withSession(new Map(), session('first-running', 'running'));
  for (let i = 0; i < 700; i++) known = withSession(known, session(`ended-${i}`, 'completed', { endedAt: i }));
  expect([known.size, known.has('first-running'), known.has('ended-199'), known.has('ended-200')]).toEqual([
    501,
    true,
    false,
    true,
  ]);
});
