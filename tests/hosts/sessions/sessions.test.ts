import { expect, test } from 'vitest';
import { faultOf } from '../../support/fault.ts';
import { AGENT, makeSessions, OPERATOR } from '../../support/sessions.ts';

test('a session reports its state from start to end', async () => {
  const ended: unknown[] = [];
  let time = 1000;
  const { run, sessions } = await makeSessions({ now: () => time++, onEnd: (info) => void ended.push(info) });
  const session = await run('echo hello; exit 3', { caller: { agent: 'main', conversation: 'c1' }, approvalId: 'a1' });
  const info = await session.ended();
  expect(info).toEqual({
    id: expect.stringMatching(/^[a-z]+-[a-z]+$/u),
    agent: 'main',
    conversation: 'c1',
    command: 'echo hello; exit 3',
    name: 'echo hello;',
    cwd: expect.any(String),
    host: 'gateway',
    status: 'completed',
    pid: expect.any(Number),
    startedAt: 1000,
    endedAt: expect.any(Number),
    exitCode: 3,
    backgrounded: true,
    stdinOpen: false,
    waitingForInput: false,
    lastOutputAt: expect.any(Number),
    bytes: 6,
    truncated: false,
    tail: 'hello\n',
    approvalId: 'a1',
  });
  expect(ended).toEqual([info]);
  expect({ running: sessions.running, finished: sessions.finished }).toEqual({ running: 0, finished: 1 });
});

test.each([
  [
    'a timeout',
    'exec sleep 60',
    { timeout: 0.2 },
    undefined,
    { failure: 'timeout', failureNote: '0.2', exitSignal: 'SIGTERM' },
  ],
  ['a kill', 'exec sleep 60', {}, 'killed', { failure: 'killed', exitSignal: 'SIGTERM' }],
  ['an abort', 'exec sleep 60', {}, 'aborted', { failure: 'aborted', exitSignal: 'SIGTERM' }],
  ['a signal of its own', 'kill -9 $$', {}, undefined, { exitSignal: 'SIGKILL' }],
] as const)('%s has its own state', async (_, command, how, kill, expected) => {
  const { run } = await makeSessions();
  const session = await run(command, how);
  if (kill !== undefined) await session.kill(kill);
  const { status, failure, failureNote, exitSignal } = await session.ended();
  expect({ status, failure, failureNote, exitSignal }).toEqual({
    status: 'failed',
    failure: undefined,
    failureNote: undefined,
    ...expected,
  });
});

test('a missing program is a failed session, not a fault', async () => {
  const { sessions, run } = await makeSessions();
  const session = await run('x', { stages: [{ file: '/nowhere/program', argv: ['program'] }] });
  const { status, failure, failureNote, pid } = await session.ended();
  expect({ status, failure, failureNote, pid }).toEqual({
    status: 'failed',
    failure: 'spawn-failed',
    failureNote: expect.any(String),
    pid: undefined,
  });
  expect(sessions.running).toBe(0);
});

test('an agent does not see the sessions of another, and the operator sees all', async () => {
  const { run, sessions } = await makeSessions();
  const mine = await run('sleep 60');
  const theirs = await run('sleep 60', { caller: { agent: 'other' } });
  expect(sessions.list(AGENT).map(({ id }) => id)).toEqual([mine.id]);
  expect(sessions.list(OPERATOR).map(({ id }) => id)).toEqual([theirs.id, mine.id]);
  await expect(sessions.poll(AGENT, theirs.id, 0)).rejects.toMatchObject({
    code: 'EXEC_SESSION_UNKNOWN',
    message: `there is no session "${theirs.id}"`,
  });
  expect(sessions.find(AGENT, mine.id.slice(0, -1)).id).toBe(mine.id);
});

test('a prefix of two ids finds neither', async () => {
  const { run, sessions } = await makeSessions();
  const letters = new Set<string>();
  for (;;) {
    const letter = (await run('true')).id[0]!;
    if (letters.has(letter)) {
      expect(() => sessions.find(AGENT, letter)).toThrow(`more than one session starts with "${letter}"`);
      break;
    }
    letters.add(letter);
  }
  expect(() => sessions.find(AGENT, '')).toThrow('there is no session ""');
});

test('a session that ended in the foreground is not listed, and a backgrounded one is', async () => {
  const { run, sessions } = await makeSessions();
  const front = await run('true', { background: false });
  const behind = await run('read x', { background: false, stdin: 'open' });
  behind.background();
  await sessions.input(AGENT, behind.id, { kind: 'submit' });
  await Promise.all([front.ended(), behind.ended()]);
  expect(sessions.list(AGENT).map(({ id }) => id)).toEqual([behind.id]);
});

test('old finished sessions are removed with their logs', async () => {
  let time = 0;
  const { run, sessions } = await makeSessions({ monotonic: () => time, keepMs: 1000 });
  const session = await run('echo x');
  await session.ended();
  time = 999;
  expect(sessions.list(AGENT)).toHaveLength(1);
  time = 1000;
  expect(sessions.list(AGENT)).toEqual([]);
});

test('a limited number of finished sessions is kept, and the oldest are removed', async () => {
  const { run, sessions } = await makeSessions({ keepCount: 2 });
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) {
    const session = await run('true');
    await session.ended();
    ids.push(session.id);
  }
  expect(sessions.list(AGENT).map(({ id }) => id)).toEqual([ids[3], ids[2]]);
});

test('a failing `onEnd` does not affect the session', async () => {
  const { run } = await makeSessions({
    onEnd: () => {
      throw new Error('the disk is full');
    },
  });
  const session = await run('true');
  expect((await session.ended()).status).toBe('completed');
  expect(session.warnings).toEqual(['the disk is full']);
});

test('a finished session can be cleared, and a running one cannot', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('read x', { stdin: 'open' });
  expect(faultOf(() => sessions.clear(AGENT, session.id)).code).toBe('EXEC_SESSION_RUNNING');
  await session.kill('killed');
  expect(sessions.clear(AGENT, session.id)).toMatchObject({ id: session.id, status: 'failed', failure: 'killed' });
  expect(faultOf(() => sessions.find(AGENT, session.id)).code).toBe('EXEC_SESSION_UNKNOWN');
});

test('a session reports that it waits for input after a silence', async () => {
  let time = 0;
  const { run, sessions } = await makeSessions({ monotonic: () => time });
  const session = await run('printf "name? "; read x', { stdin: 'open' });
  const told = new Promise<void>((resolve) => {
    void sessions.follow(AGENT, session.id, 0, ({ type }) => {
      if (type === 'output') resolve();
    });
  });
  await told;
  time = 14_999;
  expect(session.info().waitingForInput).toBe(false);
  time = 15_000;
  expect(session.info()).toMatchObject({ waitingForInput: true, stdinOpen: true, status: 'running' });
});

test('closing ends what runs and removes the logs', async () => {
  const { run, sessions, folder } = await makeSessions();
  const session = await run('echo x; sleep 60');
  await sessions.close();
  expect(session.info()).toMatchObject({ status: 'failed', failure: 'killed' });
  const { readdirSync } = await import('node:fs');
  expect(readdirSync(folder)).toEqual([]);
  await expect(run('true')).rejects.toMatchObject({ code: 'EXEC_CLOSING' });
});
