import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputLog } from '../../../src/hosts/sessions/log/log.ts';
import { CastFile } from '../../../src/hosts/sessions/recording/cast-file.ts';
import { Recording } from '../../../src/hosts/sessions/recording/recording.ts';
import type { Session, Sessions } from '../../../src/hosts/sessions/shape.ts';
import { type Cast, marksOf, outputOf, parseCast, readAll, replayed } from '../../support/cast.ts';
import { makeFolder } from '../../support/folder.ts';
import { until } from '../../support/patience.ts';
import { fc, runs } from '../../support/property.ts';
import { AGENT, makeSessions, OPERATOR } from '../../support/sessions.ts';

const PTY = { pty: { cols: 60, rows: 10 } };

async function recordingOf(sessions: Sessions, { id }: Pick<Session, 'id'>, maxBytes = 200): Promise<Cast> {
  const { text, done } = await readAll((from) => sessions.recording(AGENT, id, from, maxBytes));
  expect(done).toBe(true);
  return parseCast(text);
}

const showing = (session: Session, text: string) =>
  until(() => session.output(10_000).text.includes(text), `the output ${JSON.stringify(text)}`);

test('a session with a terminal is recorded with its size, its times and its exit status', async () => {
  let laterMs = 0;
  const { run, sessions } = await makeSessions({ monotonic: () => performance.now() + laterMs });
  const command = "stty -echo; printf 'one\\n'; read -r line; printf 'tw\\303\\266 \\033[1mbold\\377'; exit 3";
  const session = await run(command, PTY);
  await showing(session, 'one');
  laterMs = 7000;
  await sessions.input(AGENT, session.id, { kind: 'submit' });
  await session.ended();
  const { header, events } = await recordingOf(sessions, session);
  expect(header).toEqual({
    version: 3,
    term: { cols: 60, rows: 10, type: 'xterm-256color' },
    timestamp: Math.floor(session.info().startedAt / 1000),
    command: session.info().command,
    title: session.info().name,
  });
  expect(outputOf({ header, events })).toBe('one\r\ntwö \u001b[1mbold\ufffd');
  const [first, last, exit] = [events[0]!, events.find(({ data }) => data.includes('bold'))!, events.at(-1)!];
  expect(last.at - first.at).toBeGreaterThan(6.9);
  expect(last.at - first.at).toBeLessThan(60);
  expect(exit).toMatchObject({ code: 'x', data: '3' });
  expect(session.info().recorded).toBe(true);
});

test('a session without a terminal has no recording', async () => {
  const { run, sessions, folder } = await makeSessions();
  const session = await run('echo hi');
  await session.ended();
  await expect(sessions.recording(AGENT, session.id)).rejects.toMatchObject({ code: 'EXEC_NO_TERMINAL' });
  expect(session.info().recorded).toBe(undefined);
  expect(existsSync(join(folder, session.id, 'recording.cast'))).toBe(false);
});

test('a signal is recorded as shells report it', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('kill -KILL $$', PTY);
  await session.ended();
  const { events } = await recordingOf(sessions, session);
  expect(events.map(({ code, data }) => [code, data])).toEqual([
    ['m', 'ended SIGKILL'],
    ['x', '137'],
  ]);
});

test('typed input is a mark without its text, and keys in quick succession are one mark', async () => {
  const { run, sessions, folder } = await makeSessions();
  const session = await run(
    'stty -echo; printf \'Password: \'; read -r secret; expr length "$secret"; echo thanks',
    PTY,
  );
  await showing(session, 'Password: ');
  for (const letter of 'hunter2-Zx9') await sessions.input(AGENT, session.id, { kind: 'write', data: letter });
  await sessions.input(OPERATOR, session.id, { kind: 'submit' });
  await session.ended();
  const cast = await recordingOf(sessions, session);
  expect(outputOf(cast)).toContain('11\r\nthanks');
  expect(new Set(marksOf(cast))).toEqual(new Set(['input agent']));
  expect(marksOf(cast).length).toBeLessThan(11);
  const files = readdirSync(join(folder, session.id)).map((name) =>
    readFileSync(join(folder, session.id, name), 'utf8'),
  );
  expect(files).toHaveLength(3);
  for (const text of files) for (const part of ['hunter2', 'Zx9']) expect(text).not.toContain(part);
  expect(session.info().lastInput).toMatchObject({ source: 'operator' });
});

test('the command of a recording has its secrets masked', async () => {
  const { run, sessions, folder } = await makeSessions();
  const session = await run('PASSWORD=hunter2-Zx9 true --token s3cr3t-9f2', PTY);
  await session.ended();
  await recordingOf(sessions, session);
  const text = readFileSync(join(folder, session.id, 'recording.cast'), 'utf8');
  for (const secret of ['hunter2-Zx9', 's3cr3t-9f2']) expect(text).not.toContain(secret);
});

test('the replay of a full-screen program gives the screen of the session', async () => {
  const { run, sessions } = await makeSessions();
  const program = [
    'draw() { printf \'\\033[2J\\033[3;4H%s\\033[7m wide 日本 \\033[0m\' "$(stty size)"; }',
    "trap 'draw; printf done' WINCH; printf '\\033[?1049h'; draw; read -r line; read -r line",
  ].join('\n');
  const session = await run(program, PTY);
  await showing(session, 'wide');
  sessions.resize(AGENT, session.id, { cols: 40, rows: 8 });
  await showing(session, 'done');
  const { lines, cursor, size } = await sessions.screen(AGENT, session.id);
  const running = await readAll((from) => sessions.recording(AGENT, session.id, from, 100));
  expect(running).toMatchObject({ done: false, truncated: false });
  const cast = parseCast(running.text);
  expect(cast.events.filter(({ code }) => code === 'r').map(({ data }) => data)).toEqual(['40x8']);
  const screen = await replayed(cast);
  expect({ lines: screen.lines.map((line) => line.trimEnd()), cursor: screen.cursor }).toEqual({ lines, cursor });
  expect(size).toEqual({ cols: 40, rows: 8 });
  expect(lines.join('\n')).toContain('8 40');
});

test('a recording at its limit ends with a mark that has the size of the rest', async () => {
  const maxLogBytes = 40_000;
  const { run, sessions, folder } = await makeSessions({ maxLogBytes });
  const session = await run('i=0; while [ $i -lt 3000 ]; do printf "%049d\\n" $i; i=$((i+1)); done; exit 7', PTY);
  const { bytes } = await session.ended();
  const { text, truncated } = await readAll((from) => sessions.recording(AGENT, session.id, from));
  const cast = parseCast(text);
  const [gap, exit] = cast.events.slice(-2);
  expect(truncated).toBe(true);
  expect(exit).toMatchObject({ code: 'x', data: '7' });
  expect(gap).toMatchObject({ code: 'm', data: `gap ${bytes - outputOf(cast).length} bytes` });
  expect(outputOf(cast).length).toBeGreaterThan(maxLogBytes / 2);
  const size = readFileSync(join(folder, session.id, 'recording.cast')).length;
  expect(size).toBeLessThan(maxLogBytes + 1000);
});

test('recordings count for the limit of an agent, and are cut with a mark', async () => {
  const agentBytes = 8 << 20;
  const { run, sessions, folder } = await makeSessions({ agentBytes });
  const session = await run('yes 0123456789abcdef | head -c 12000000', PTY);
  const { bytes } = await session.ended();
  const cast = await recordingOf(sessions, session, 1 << 20);
  const gaps = marksOf(cast).map((label) => Number(/^gap (\d+) bytes$/u.exec(label)?.[1]));
  expect(outputOf(cast).length + gaps.reduce((sum, gap) => sum + gap, 0)).toBe(bytes);
  expect(gaps.length).toBeGreaterThan(0);
  const onDisk = ['log', 'recording.cast'].map((name) => readFileSync(join(folder, session.id, name)).length);
  expect(onDisk[0]! + onDisk[1]!).toBeLessThan(agentBytes + (2 << 20));
});

test('a cleared session leaves no recording', async () => {
  const { run, sessions, folder } = await makeSessions();
  const session = await run('echo hi', PTY);
  await session.ended();
  await recordingOf(sessions, session);
  sessions.clear(AGENT, session.id);
  await expect.poll(() => existsSync(join(folder, session.id))).toBe(false);
});

test('after a crash of the daemon the recording is read up to its last whole line', async () => {
  const before = await makeSessions();
  const session = await before.run('echo before; exec sleep 600', PTY);
  const path = join(before.folder, session.id, 'recording.cast');
  const record = join(before.folder, session.id, 'session.json');
  // The header has the command, too.
  await expect.poll(() => existsSync(path) && /"o", ?"before/u.test(readFileSync(path, 'utf8'))).toBe(true);
  await expect.poll(() => existsSync(record)).toBe(true);
  const left = join(makeFolder(), 'sessions');
  cpSync(before.folder, left, { recursive: true });
  appendFileSync(join(left, session.id, 'recording.cast'), '[0.2, "o", "half a li');
  const { sessions } = await makeSessions({ folder: left });
  await sessions.ready;
  expect(sessions.list(AGENT)[0]).toMatchObject({ id: session.id, failure: 'lost', recorded: true });
  const cast = await recordingOf(sessions, session);
  expect(outputOf(cast)).toBe('before\r\n');
  expect(marksOf(cast)).toEqual([]);
});

test('a page has whole lines, at least one, and the next page begins after it', async () => {
  const { run, sessions, folder } = await makeSessions();
  const session = await run("printf '%0500d' 1", PTY);
  await session.ended();
  const whole = await recordingOf(sessions, session, 1 << 20).then(() =>
    readFileSync(join(folder, session.id, 'recording.cast'), 'utf8'),
  );
  const one = await sessions.recording(AGENT, session.id, 0, 1);
  expect(one).toEqual({ text: whole.slice(0, whole.indexOf('\n') + 1), next: one.text.length, done: false });
  const insideOfLine = await sessions.recording(AGENT, session.id, 3, 1 << 20);
  expect(one.text + insideOfLine.text).toBe(whole);
  const end = Buffer.byteLength(whole);
  expect(await sessions.recording(AGENT, session.id, end + 100)).toEqual({ text: '', next: end, done: true });
});

function newRecording(monotonic: () => number = () => 1000, room = 1 << 20) {
  const folder = join(makeFolder(), 'session');
  const log = new OutputLog(folder, 1 << 20, () => undefined);
  log.persist();
  const header = () => '{"version":3,"term":{"cols":80,"rows":24}}\n';
  const parts = { folder, log, cap: 1 << 20, header, room: () => room, monotonic, startedAt: 1000 };
  return { folder, log, recording: new Recording(parts) };
}

test('a short recording that is cut after its end keeps its end, and a mark with the size of the rest', async () => {
  const { log, recording } = newRecording();
  log.append('out', Buffer.from('hello'));
  recording.output();
  await recording.finish({ kind: 'code', code: 3 });
  await recording.cut();
  expect(recording.note).toBeUndefined();
  const { text, truncated } = await readAll((from) => recording.read(from));
  expect(truncated).toBe(true);
  expect(parseCast(text).events.map(({ code, data }) => [code, data])).toEqual([
    ['m', 'gap 5 bytes'],
    ['x', '3'],
  ]);
  await log.remove();
});

test('a recording without room on the disk leaves no open file', async () => {
  const { folder, log, recording } = newRecording(undefined, 0);
  log.append('out', Buffer.from('hello'));
  recording.output();
  await recording.finish({ kind: 'code', code: 3 });
  expect(recording.note).toBe('the recording could not be written (ENOSPC)');
  const open = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // that of the list itself
    }
  });
  expect(open.filter((path) => path === join(folder, 'recording.cast'))).toEqual([]);
  await log.remove();
});

test('a recording whose daemon died before its first whole line begins anew', async () => {
  const { folder, log, recording } = newRecording();
  log.append('out', Buffer.from('hello'));
  await until(() => existsSync(folder), 'the folder of the session');
  appendFileSync(join(folder, 'recording.cast'), '{"version":3,"te');
  expect(await CastFile.existing(folder)).toBeUndefined();
  recording.output();
  await recording.finish({ kind: 'code', code: 0 });
  expect(recording.note).toBeUndefined();
  expect(outputOf(parseCast((await readAll((from) => recording.read(from))).text))).toBe('hello');
  await log.remove();
});

test('the output of a recording is the decoded log, and its times are those of the output', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ maxLength: 20, unit: 'grapheme' }).map((text) => new TextEncoder().encode(text)),
  );
  const step = fc.record({ bytes, pauseMs: fc.double({ min: 0, max: 70, noNaN: true }), isWritten: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      let now = 1000;
      const { log, recording } = newRecording(() => now);
      const times: number[] = [];
      for (const { bytes: piece, pauseMs, isWritten } of steps) {
        now += pauseMs;
        log.append('out', piece);
        recording.output();
        times.push((now - 1000) / 1000);
        if (isWritten) await recording.read();
      }
      await recording.finish({ kind: 'code', code: 0 });
      const cast = parseCast((await readAll((from) => recording.read(from, 50))).text);
      const all = Buffer.concat(steps.map(({ bytes: piece }) => piece));
      expect(outputOf(cast)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(all));
      const events = cast.events.filter(({ code }) => code === 'o');
      for (const { at } of events.slice(0, -1)) expect(times.some((time) => Math.abs(time - at) < 0.0016)).toBe(true);
      const shown = events.map(({ at }) => at);
      expect(shown).toEqual(shown.toSorted((a, b) => a - b));
      expect(cast.events.at(-1)!.at).toBeCloseTo((now - 1000) / 1000, 2);
      await log.remove();
    }),
    { numRuns: runs(60) },
  );
});
