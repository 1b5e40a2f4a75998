import type { SessionInfo } from '../../../../src/wire/session.ts';

/** A running session with a terminal. */
export function sessionExample(changes: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id: 'brisk-otter',
    agent: 'main',
    command: 'npm test -- --watch',
    name: 'npm test',
    cwd: '/home/demo/shop',
    host: 'gateway',
    status: 'running',
    startedAt: 1_000,
    backgrounded: true,
    stdinOpen: true,
    waitingForInput: false,
    bytes: 0,
    truncated: false,
    tail: '',
    ...changes,
  };
}
