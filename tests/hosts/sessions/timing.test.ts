import { afterEach, expect, test, vi } from 'vitest';
import { ModelReports } from '../../../src/hosts/sessions/terminal/model-reports.ts';
import { deadline } from '../../../src/hosts/sessions/deadline.ts';
import { eventLoopTurns } from '../../support/patience.ts';
import { AGENT, makeSessions } from '../../support/sessions.ts';

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['a second', 1000],
  ['a hundred days, which no timer takes', 100 * 86_400_000],
])('a deadline of %s fires on time, and not before', (_, ms) => {
  vi.useFakeTimers();
  let late = 0;
  deadline(
    ms,
    () => late++,
    () => performance.now(),
  );
  vi.advanceTimersByTime(ms - 1);
  expect(late).toBe(0);
  vi.advanceTimersByTime(1);
  expect(late).toBe(1);
});

test('a timer that fires too early is set again', () => {
  vi.useFakeTimers();
  let time = 0;
  let late = 0;
  deadline(
    1000,
    () => late++,
    () => time,
  );
  time = 400;
  vi.advanceTimersByTime(1000);
  expect(late).toBe(0);
  time = 1000;
  vi.advanceTimersByTime(600);
  expect(late).toBe(1);
});

test('a cancelled deadline does not fire', () => {
  vi.useFakeTimers();
  let late = 0;
  deadline(
    1000,
    () => late++,
    () => performance.now(),
  )();
  vi.advanceTimersByTime(5000);
  expect(late).toBe(0);
});

test('a wall clock that jumps ends no session', async () => {
  let wall = 0;
  const { run, sessions } = await makeSessions({ now: () => (wall += 86_400_000) });
  const session = await run('read line; echo done', { timeout: 30, stdin: 'open' });
  await eventLoopTurns(); // a timer that is due fires
  await sessions.input(AGENT, session.id, { kind: 'write', data: '\n', eof: true });
  expect(await session.ended()).toMatchObject({ status: 'completed', exitCode: 0, tail: 'done\n' });
});

test('the report of a second terminal is removed, and keys are not', () => {
  let time = 0;
  const answers = new ModelReports(() => time);
  const without = (text: string) => Buffer.from(answers.without(Buffer.from(text))).toString();
  expect(without('a\u001b[4;7Rb')).toBe('a\u001b[4;7Rb');
  answers.note('\u001b[1;4R');
  answers.note('\u001b[?1;2c');
  expect(without('é\u001b[A\u001b[4;7R\u001b[?62;22cb\u001b[1;2R')).toBe('é\u001b[Ab\u001b[1;2R');
  answers.note('\u001b[0n');
  time = 2000;
  expect(without('\u001b[0n')).toBe('\u001b[0n');
});
