import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session, Sessions } from '../../../src/hosts/sessions/shape.ts';
import { until } from '../../support/patience.ts';
import { AGENT, makeSessions, OPERATOR, type SessionsUnderTest } from '../../support/sessions.ts';

const KB = 1024;

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, id) => {
    const stats = statSync(join(folder, id, 'log'), { throwIfNoEntry: false });
    return sum + (stats?.size ?? 0);
  }, 0);
}

/** A finished session with so much output, all of it on the disk. */
async function written({ run, folder }: SessionsUnderTest, kilobytes: number, agent = 'main'): Promise<Session> {
  const session = await run(`echo first; head -c ${kilobytes * KB} /dev/zero; echo last`, { caller: { agent } });
  const { bytes } = await session.ended();
  await until(
    () => statSync(join(folder, session.id, 'log'), { throwIfNoEntry: false })?.size === bytes,
    'the log on the disk',
  );
  return session;
}

async function drained(sessions: Sessions, id: string, agent = 'main'): Promise<void> {
  expect((await sessions.poll({ agent }, id, 0)).output.end).toBeGreaterThan(0);
}

const ids = (sessions: Sessions, agent = 'main') => sessions.list({ agent }).map(({ id }) => id);

test('B14: unread output of 60 sessions is kept, and another agent cannot displace it', async () => {
  const place = await makeSessions({ keepCount: 5 });
  const mine: string[] = [];
  for (let number = 0; number < 30; number++) mine.push((await place.run(`echo ${number}`)).id);
  for (let number = 0; number < 30; number++) await place.run('echo x', { caller: { agent: 'other' } });
  await until(() => place.sessions.running === 0, 'the end of all');
  for (const [number, id] of mine.entries()) expect((await place.sessions.log(AGENT, id)).text, id).toBe(`${number}\n`);
  expect(ids(place.sessions, 'other')).toHaveLength(30);
  expect(ids(place.sessions)).toHaveLength(5);
});

test('M11: a request of one agent does not scan the sessions of others', async () => {
  const { run, sessions } = await makeSessions({ keepCount: 0 });
  const other = await run('echo x', { caller: { agent: 'other' } });
  const mine = await run('echo x');
  await Promise.all([other.ended(), mine.ended()]);
  await drained(sessions, other.id, 'other');
  await sessions.poll(AGENT, mine.id, 0);
  expect(sessions.finished).toBe(2);
  expect(ids(sessions)).toEqual([]);
  expect(sessions.finished).toBe(1);
  expect(ids(sessions, 'other')).toEqual([]);
  expect(sessions.finished).toBe(0);
});

test('B14: reads of the owner count, by poll, log or follow', async () => {
  const { run, sessions } = await makeSessions({ keepCount: 0 });
  const [polled, paged, followed, unread, seen] = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const session = await run('echo x');
      await session.ended();
      return session.id;
    }),
  );
  await sessions.log(OPERATOR, seen!);
  await sessions.poll(AGENT, polled!, 0);
  await sessions.log(AGENT, paged!);
  await sessions.follow(AGENT, followed!, 0, () => undefined);
  expect(new Set(ids(sessions))).toEqual(new Set([unread, seen]));
});

test('B18: at the limit of an agent, read sessions are removed first, the oldest first', async () => {
  const place = await makeSessions({ agentBytes: 1000 * KB });
  const { sessions } = place;
  const old = await written(place, 300);
  const unread = await written(place, 300);
  const read = await written(place, 300);
  const theirs = await written(place, 900, 'other');
  await drained(sessions, old.id);
  await drained(sessions, read.id);
  const last = await written(place, 200);
  await until(() => !ids(sessions).includes(old.id), 'the end of the oldest session'); // listing looks at the budget
  expect(ids(sessions)).toEqual([last.id, read.id, unread.id]);
  expect(ids(sessions, 'other')).toEqual([theirs.id]);
  expect((await sessions.log(AGENT, unread.id, 0, 1)).session.truncated).toBe(false);
});

test('B18: without read sessions the middle of the largest log is removed, with a gap', async () => {
  const place = await makeSessions({ agentBytes: 1000 * KB });
  const { sessions, folder } = place;
  const small = await written(place, 200);
  const large = await written(place, 700);
  const last = await place.run('echo first; head -c 300000 /dev/zero; echo last');
  await last.ended();
  await until(() => {
    sessions.list(AGENT); // looks at the budget; the last log may not be on the disk yet
    return large.info().truncated && bytesIn(folder) <= 1000 * KB;
  }, 'room on the disk');
  expect(ids(sessions)).toEqual([last.id, large.id, small.id]);
  expect([small, last].map((session) => session.info().truncated)).toEqual([false, false]);
  expect(large.info()).toMatchObject({ truncated: true, bytes: 700 * KB + 11 });
  const page = await sessions.log(AGENT, large.id);
  expect([page.truncated, page.text.startsWith('first\n'), page.text.endsWith('last\n')]).toEqual([true, false, true]);
  const events: string[] = [];
  let got = 0;
  await sessions.follow(AGENT, large.id, 0, (event) => {
    events.push(event.type);
    if (event.type === 'output') got += event.bytes.length;
    if (event.type === 'gap') got += event.bytes;
  });
  expect([events.filter((type) => type === 'gap').length, got]).toEqual([1, 700 * KB + 11]);
  expect(await sessions.poll(AGENT, large.id, 0)).toMatchObject({ output: { end: 700 * KB + 11 } });
});

test('B18: logs of running commands stay within the limit, and the commands continue', async () => {
  const place = await makeSessions({ agentBytes: 8 << 20 });
  const { folder } = place;
  const many = await Promise.all(
    Array.from({ length: 4 }, () => place.run('head -c 30000000 /dev/zero; echo last; read x', { stdin: 'open' })),
  );
  for (const session of many) await until(() => session.info().tail.endsWith('last\n'), 'all output');
  // Each may be a step beyond what was left when it asked.
  await until(() => bytesIn(folder) <= (8 << 20) + 4 * (1 << 20), 'room on the disk');
  expect(many.map((session) => session.info())).toMatchObject(
    many.map(() => ({ status: 'running', bytes: 30_000_005, truncated: true })),
  );
});

test('B18: an attached follower gets every byte at the limit', async () => {
  const place = await makeSessions({ agentBytes: 2 << 20 });
  const session = await place.run('head -c 20000000 /dev/zero', { attached: true, background: false });
  let got = 0;
  await place.sessions.follow(AGENT, session.id, 0, (event) => {
    if (event.type === 'output') got += event.bytes.length;
  });
  expect(got).toBe(20_000_000);
});

test('B14: an agent with too much unread output cannot start commands, and others can', async () => {
  const { run, sessions } = await makeSessions({ unreadCount: 3 });
  const first = await run('echo x');
  await Promise.all([
    first.ended(),
    (await run('echo x')).ended(),
    (await run('echo x')).ended(),
    (await run('true')).ended(),
  ]);
  await expect(run('echo x')).rejects.toMatchObject({
    code: 'EXEC_SESSIONS_FULL',
    message: '3 finished sessions of agent "main" have unread output',
  });
  await run('echo x', { caller: { agent: 'other' } });
  await drained(sessions, first.id);
  await run('echo x');
});

test('B14: finished sessions have no open descriptors', async () => {
  const { run, sessions } = await makeSessions();
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  const started = await Promise.all(Array.from({ length: 30 }, () => run('head -c 100000 /dev/zero')));
  await Promise.all(started.map((session) => session.ended()));
  await until(() => descriptors() < before + 10, 'closed logs');
  for (const { id } of started) expect((await sessions.log(AGENT, id, 0, 1)).totalBytes).toBe(100_000);
});
