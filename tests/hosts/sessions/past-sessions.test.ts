import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../support/folder.ts';
import { AGENT, makeSessions, OPERATOR } from '../../support/sessions.ts';

const recordOf = (folder: string, id: string) => {
  const path = join(folder, id, 'session.json');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return /\n.*"status":"(\w+)".*\}$/u.exec(text)?.[1];
};

/** What a daemon that is killed in this moment leaves on the disk. */
function asLeft(folder: string): string {
  const copy = join(makeFolder(), 'sessions');
  cpSync(folder, copy, { recursive: true });
  return copy;
}

test('a session that ran when its daemon died is lost, and its log can be read', async () => {
  const before = await makeSessions();
  const { id } = await before.run('seq 1 50; exec sleep 600', {
    cwd: '/usr',
    caller: { ...AGENT, client: 'codex' },
  });
  const log = join(before.folder, id, 'log');
  await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8').endsWith('\n50\n')).toBe(true);
  await expect.poll(() => recordOf(before.folder, id)).toBe('running');
  const { sessions } = await makeSessions({ folder: asLeft(before.folder) });
  await sessions.ready;
  const [lost] = sessions.list(AGENT);
  expect(lost).toMatchObject({
    id,
    agent: 'main',
    client: 'codex',
    command: 'seq 1 50; exec sleep 600',
    cwd: '/usr',
    host: 'gateway',
    status: 'failed',
    failure: 'lost',
    backgrounded: true,
    stdinOpen: false,
    bytes: 141,
    tail: expect.stringMatching(/^1\n2\n[^]*\n50\n$/u),
  });
  expect(lost).not.toHaveProperty('pid');
  expect(await sessions.log(AGENT, id, 10, 2)).toMatchObject({ text: '11\n12\n', totalLines: 50, totalBytes: 141 });
  expect(await sessions.poll(AGENT, id, 0)).toMatchObject({ output: { start: 0, end: 141 } });
  await expect(sessions.input(AGENT, id, { kind: 'submit' })).rejects.toMatchObject({ code: 'EXEC_INPUT_CLOSED' });
  await sessions.find(AGENT, id).kill('killed');
  expect(() => sessions.find({ agent: 'other' }, id)).toThrow(/there is no session/u);
  expect([sessions.running, sessions.finished]).toEqual([0, 1]);
});

test.each([
  ['echo done; exit 3', { status: 'completed', exitCode: 3 }, 'completed'],
  ['kill -KILL $$', { status: 'failed', exitSignal: 'SIGKILL' }, 'failed'],
])('a session that had ended when its daemon died (%s) is restored unchanged', async (command, end, state) => {
  const before = await makeSessions();
  const session = await before.run(command);
  const was = await session.ended();
  await expect.poll(() => recordOf(before.folder, session.id)).toBe(state);
  const { sessions } = await makeSessions({ folder: asLeft(before.folder) });
  await sessions.ready;
  const { pid: _, ...rest } = was;
  expect(sessions.list(AGENT)).toEqual([{ ...rest, ...end }]);
});

test('a truncated record leaves the previous one valid', async () => {
  const before = await makeSessions();
  const { id } = await before.run('exec sleep 600');
  await expect.poll(() => recordOf(before.folder, id)).toBe('running');
  const folder = asLeft(before.folder);
  appendFileSync(join(folder, id, 'session.json'), `\n{"id":"${id}","status":"compl`);
  const { sessions } = await makeSessions({ folder });
  await sessions.ready;
  expect(sessions.list(AGENT)).toMatchObject([{ id, status: 'failed', failure: 'lost' }]);
});

test('a lost session in a terminal still has its screen', async () => {
  const before = await makeSessions();
  const { id } = await before.run("printf 'one\\r\\ntwo'; exec sleep 600", { pty: { cols: 20, rows: 4 } });
  const log = join(before.folder, id, 'log');
  await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8').endsWith('two')).toBe(true);
  await expect.poll(() => recordOf(before.folder, id)).toBe('running');
  const { sessions } = await makeSessions({ folder: asLeft(before.folder) });
  await sessions.ready;
  expect((await sessions.screen(OPERATOR, id)).lines).toEqual(['one', 'two', '', '']);
});

test('a lost session is removed in time, with its folder', async () => {
  const before = await makeSessions();
  const { id } = await before.run('exec sleep 600');
  await expect.poll(() => recordOf(before.folder, id)).toBe('running');
  let time = 0;
  const { sessions, folder } = await makeSessions({
    folder: asLeft(before.folder),
    keepMs: 1000,
    monotonic: () => time,
  });
  await sessions.ready;
  expect(sessions.list(AGENT)).toHaveLength(1);
  time = 1000;
  expect(sessions.list(AGENT)).toEqual([]);
  await expect.poll(() => readdirSync(folder)).toEqual([]);
});

test('a folder without a valid record is removed', async () => {
  const folder = makeFolder({
    'old-owl/log': 'x',
    'no-newt/other': 'z',
    'cut-carp/log': 'x',
    'cut-carp/session.json': '{"id":"cut-ca',
    'liar-lynx/log': 'x',
    'liar-lynx/session.json': '{"id":"brisk-otter","status":"running"}',
    'no-log/session.json': '{}',
  });
  writeFileSync(join(folder, 'file'), '');
  const { sessions } = await makeSessions({ folder });
  await sessions.ready;
  expect([sessions.list(OPERATOR), readdirSync(folder)]).toEqual([[], []]);
});
