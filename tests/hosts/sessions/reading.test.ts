import { expect, onTestFinished, test, vi } from 'vitest';
import type { FollowEvent } from '../../../src/wire/session.ts';
import { advancedUntil, untilIdle } from '../../support/patience.ts';
import { AGENT, makeSessions, OPERATOR } from '../../support/sessions.ts';

test('a poll returns new output, waits for more, and never hangs after the end', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('echo one; read x; echo two $x', { stdin: 'open' });
  const first = await sessions.poll(AGENT, session.id, 60_000);
  expect(first.output).toEqual({ text: 'one\n', start: 0, end: 4, omitted: 0 });
  const waiting = sessions.poll(AGENT, session.id, 60_000);
  await sessions.input(AGENT, session.id, { kind: 'write', data: 'words\n' });
  const second = await waiting;
  expect(second.output).toEqual({ text: 'two words\n', start: 4, end: 14, omitted: 0 });
  await session.ended();
  const { output, retryInMs, session: info } = await sessions.poll(AGENT, session.id, 60_000);
  expect({ output, retryInMs, code: info.exitCode }).toEqual({
    output: { text: '', start: 14, end: 14, omitted: 0 },
    retryInMs: undefined,
    code: 0,
  });
  expect((await sessions.poll(OPERATOR, session.id, 0)).output.text).toBe('one\ntwo words\n');
});

test('empty polls get an increasing retry delay', async () => {
  const { run, sessions } = await makeSessions();
  const { id } = await run('read x', { stdin: 'open' });
  const retries: unknown[] = [];
  for (let count = 0; count < 7; count++) retries.push((await sessions.poll(AGENT, id, 0)).retryInMs);
  expect(retries).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('an aborted poll leaves the output for the next', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('read x; echo done', { stdin: 'open' });
  const stop = new AbortController();
  const polling = sessions.poll(AGENT, session.id, 60_000, stop.signal);
  stop.abort();
  expect((await polling).output.text).toBe('');
  await sessions.input(AGENT, session.id, { kind: 'submit' });
  await session.ended();
  expect((await sessions.poll(AGENT, session.id, 0)).output.text).toBe('done\n');
});

test('a poll returns the newest of much output and counts the rest', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('seq 1 100000');
  await session.ended();
  const { output } = await sessions.poll(AGENT, session.id, 0);
  expect(output.text.length).toBeLessThanOrEqual(30_000);
  expect(output.text).toMatch(/^\d+\n[^]*\n100000\n$/u);
  expect(output.omitted + Buffer.byteLength(output.text)).toBe(588_895);
});

test('the result of a call has the start and the end of the output, and its log stays', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('seq 1 100000', { background: false });
  await session.ended();
  const { text, omitted } = session.output(1000);
  expect(text).toMatch(/^1\n2\n[^]*\n\[… [\d,]+ bytes left out …\]\n\d+\n[^]*\n100000\n$/u);
  expect(omitted + Buffer.byteLength(text.replace(/\[….*\]\n/u, ''))).toBe(588_895);
  expect({ listed: sessions.list(AGENT).length, finished: sessions.finished }).toEqual({ listed: 1, finished: 1 });
  expect((await sessions.log(AGENT, session.id, 49_999, 1)).text).toBe('50000\n');
});

test.each([
  ['the last 200 lines by default', undefined, undefined, 800, 200, '801\n'],
  ['the last lines', undefined, 3, 997, 3, '998\n'],
  ['from a line to the end', 990, undefined, 990, 10, '991\n'],
  ['a window', 10, 2, 10, 2, '11\n'],
  ['nothing past the end', 5000, 2, 1000, 0, ''],
] as const)('a log shows %s', async (_, offset, limit, shownOffset, lines, starts) => {
  const { run, sessions } = await makeSessions();
  const session = await run('seq 1 1000');
  await session.ended();
  const { text, session: _info, ...page } = await sessions.log(AGENT, session.id, offset, limit);
  expect(page).toEqual({ offset: shownOffset, lines, totalLines: 1000, totalBytes: 3893, truncated: false });
  expect(text.startsWith(starts)).toBe(true);
  expect(text.split('\n')).toHaveLength(lines + 1);
});

test('a follower gets both streams in order, and the end last', async () => {
  const { run, sessions } = await makeSessions();
  const command = 'echo out; read x; echo err >&2; read x; echo out again';
  const session = await run(command, { streams: 'apart', stdin: 'open' });
  await sessions.poll(AGENT, session.id, 60_000); // nobody can begin in the middle of what was not printed yet
  const events: (FollowEvent | { bytes: string })[] = [];
  const info = await sessions.follow(AGENT, session.id, 2, async (event) => {
    if (event.type !== 'output') return void events.push(event);
    events.push({ ...event, bytes: Buffer.from(event.bytes).toString() });
    if (events.length < 3) await sessions.input(AGENT, session.id, { kind: 'submit' });
  });
  expect(events).toEqual([
    { type: 'output', start: 2, stream: 'out', bytes: 't\n' },
    { type: 'output', start: 4, stream: 'err', bytes: 'err\n' },
    { type: 'output', start: 8, stream: 'out', bytes: 'out again\n' },
    { type: 'end', session: info },
  ]);
  expect(info.exitCode).toBe(0);
});

test('a slow follower loses nothing that is on the disk', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('seq 1 1000000');
  let next = 0;
  let gaps = 0;
  await sessions.follow(AGENT, session.id, 0, async (event) => {
    if (event.type === 'gap') gaps++;
    if (event.type !== 'output') return;
    expect(event.start).toBe(next);
    next += event.bytes.length;
    if (next < 1_000_000) await new Promise(setImmediate);
  });
  expect({ gaps, next }).toEqual({ gaps: 0, next: 6_888_896 });
});

test('a follower that releases its events gets every byte, and another one keeps what it has', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('seq 1 300000');
  const kept: Uint8Array[] = [];
  const released: string[] = [];
  await Promise.all([
    sessions.follow(AGENT, session.id, 0, (event) => {
      if (event.type === 'output') kept.push(event.bytes);
    }),
    sessions.follow(AGENT, session.id, 0, (event, release) => {
      if (event.type !== 'output') return;
      released.push(Buffer.from(event.bytes).toString());
      event.bytes.fill(0);
      release?.();
    }),
  ]);
  const expected = Array.from({ length: 300_000 }, (_, i) => `${i + 1}\n`).join('');
  expect(Buffer.concat(kept).toString() === expected).toBe(true);
  expect(released.join('') === expected).toBe(true);
});

test('past the cap a follower gets one gap, and pages count what is kept', async () => {
  const { run, sessions } = await makeSessions({ maxLogBytes: 100_000 });
  const session = await run('seq 1 1000000');
  await session.ended();
  const events: unknown[] = [];
  let bytes = 0;
  await sessions.follow(AGENT, session.id, 0, (event) => {
    if (event.type === 'output') bytes += event.bytes.length;
    else if (event.type === 'gap') events.push(event);
  });
  expect(events).toEqual([{ type: 'gap', start: 100_000, bytes: 6_888_896 - bytes }]);
  const page = await sessions.log(AGENT, session.id, undefined, 1);
  expect(page).toMatchObject({
    text: '1000000\n',
    truncated: true,
    totalBytes: 6_888_896,
    session: { truncated: true },
  });
  const head = await sessions.log(AGENT, session.id, 0, 2);
  expect(head.text).toBe('1\n2\n');
});

test('an attached slow follower gets every byte, also those beyond the log limit', async () => {
  const { run, sessions } = await makeSessions({ maxLogBytes: 100_000 });
  const session = await run('exec head -c 20000000 /dev/zero', { background: false, attached: true });
  let bytes = 0;
  let gaps = 0;
  const hear = async (event: FollowEvent) => {
    if (event.type === 'gap') gaps++;
    if (event.type === 'output') bytes += event.bytes.length;
    if (bytes < 1_000_000) await untilIdle(session.info().pid!); // it can write no more until this reader goes on
  };
  const info = await sessions.follow(AGENT, session.id, 0, hear);
  expect({ bytes, gaps, exitCode: info.exitCode }).toEqual({ bytes: 20_000_000, gaps: 0, exitCode: 0 });
});

test('a session whose attached follower never reads ends with its timeout', async () => {
  let time = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { run, sessions } = await makeSessions({ maxLogBytes: 100_000, monotonic: () => time });
  const session = await run('yes', { background: false, attached: true, timeout: 60 });
  const stop = new AbortController();
  const follow = sessions.follow(AGENT, session.id, 0, () => new Promise(() => undefined), stop.signal);
  await untilIdle(session.info().pid!); // nobody reads what it prints
  time = 60_000;
  let isOver = false;
  const ended = session.ended().finally(() => (isOver = true));
  await advancedUntil(60_000, () => isOver, 'the end of the session');
  expect(await ended).toMatchObject({ status: 'failed', failure: 'timeout' });
  expect(session.info().bytes).toBeLessThan(5_000_000); // the backlog, and what the kernel buffers
  stop.abort();
  void follow;
});
