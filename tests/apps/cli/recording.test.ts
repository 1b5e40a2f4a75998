/** Recordings through the real program and its daemon. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectGateway } from '../../../src/apps/client/connect.ts';
import type { Client } from '../../../src/apps/client/socket.ts';
import { readPointer } from '../../../src/apps/daemon/pointer.ts';
import { isAlive } from '../../../src/hosts/files/locks/owner.ts';
import type { SessionInput } from '../../../src/wire/session.ts';
import { marksOf, outputOf, parseCast, replayed } from '../../support/cast.ts';
import { daemonPlace, type Place, runProgram } from '../../support/daemon.ts';
import { makeFolder } from '../../support/folder.ts';
import { until } from '../../support/patience.ts';

const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');
const caller = { agent: 'main', operator: true } as const;
const has = (command: string) => spawnSync(command, ['--version']).status === 0;
const hasVim = has('vim');

async function start(place: Place, command: readonly string[], workdir = makeFolder()) {
  const args = ['exec', '--pty', '--background', '--workdir', workdir, '--', ...command];
  const { stdout, stderr, code } = await runProgram(program, place, args);
  const sessionId = /[a-z]+-[a-z]+/u.exec(stdout)?.[0] ?? '';
  expect({ code, stderr, sessionId }).toMatchObject({ code: 0, sessionId: expect.stringMatching(/-/u) });
  const client = await connectGateway({ stateDir: place.stateDir, program, start: false });
  const screen = () => client.call('session.screen', { caller, sessionId });
  return {
    sessionId,
    client,
    screen,
    shows: (text: string) =>
      until(async () => (await screen()).lines.join('\n').includes(text), `${text} on the screen`),
    type: (input: SessionInput) => client.call('session.input', { caller, sessionId, input }),
  };
}

const wholeRecording = async (place: Place, id: string): Promise<string> => {
  const { stdout, code } = await runProgram(program, place, ['logs', '--recording', id]);
  expect(code).toBe(0);
  return stdout;
};

const ended = (client: Client, sessionId: string) => client.call('session.wait', { caller, sessionId, waitMs: 30_000 });

describe('pincer logs --recording', () => {
  it.skipIf(!hasVim)('replays vim to the screen of the session, also after a resize (needs vim)', async () => {
    const place = daemonPlace();
    const folder = makeFolder({ 'poem.txt': 'one\ntwo\n' });
    const command = ['env', 'LANG=C.UTF-8', 'vim', '-u', 'NONE', '-N', 'poem.txt'];
    const { client, sessionId, screen, shows, type } = await start(place, command, folder);
    await shows('two');
    await type({ kind: 'write', data: 'Gothree äö 日本\u001b' });
    await shows('three äö 日本');
    await client.call('session.resize', { caller, sessionId, size: { cols: 50, rows: 12 } });
    await until(async () => (await screen()).lines.filter((line) => line === '~').length === 8, 'the new size');
    await type({ kind: 'write', data: ':set nu\r' });
    await shows('3 three');
    const { lines, cursor } = await screen();
    const cast = parseCast(await wholeRecording(place, sessionId));
    const replay = await replayed(cast);
    expect({ ...replay, lines: replay.lines.map((line) => line.trimEnd()) }).toEqual({ lines, cursor });
    await type({ kind: 'write', data: ':wq\r' });
    await ended(client, sessionId);
    expect(readFileSync(join(folder, 'poem.txt'), 'utf8')).toBe('one\ntwo\nthree äö 日本\n');
    const events = parseCast(await wholeRecording(place, sessionId)).events;
    expect(events.at(-1)).toMatchObject({ code: 'x', data: '0' });
    client.close();
  });

  it('has no typed password in any file of the state folder', async () => {
    const place = daemonPlace();
    const ask = "stty -echo; printf 'Password: '; read -r secret; echo thanks";
    const { client, sessionId, shows, type } = await start(place, ['sh', '-c', ask]);
    await shows('Password:');
    await type({ kind: 'write', data: 'hunter2-Zx9\r' });
    await ended(client, sessionId);
    expect(marksOf(parseCast(await wholeRecording(place, sessionId)))).toEqual(['input operator']);
    const found = spawnSync('/bin/grep', ['-rlF', 'hunter2-Zx9', place.stateDir], { encoding: 'utf8' });
    expect(found.stdout).toBe('');
    client.close();
  });

  it('gives what was recorded before the daemon was killed', async () => {
    const place = daemonPlace();
    const { client, sessionId, shows } = await start(place, ['sh', '-c', 'echo before the crash; exec sleep 600']);
    await shows('before the crash');
    const path = join(place.stateDir, 'sessions', sessionId, 'recording.cast');
    await until(() => existsSync(path) && readFileSync(path, 'utf8').includes('before'), 'the recording on the disk');
    const daemon = readPointer(place.stateDir)!;
    process.kill(daemon.pid, 'SIGKILL');
    await until(() => !isAlive(daemon), 'the end of the daemon');
    client.close();
    const cast = parseCast(await wholeRecording(place, sessionId));
    expect(outputOf(cast)).toBe('before the crash\r\n');
    expect(cast.header).toMatchObject({ version: 3, term: { cols: 120, rows: 30 } });
  });

  it('is refused for a session without a terminal, and with other options', async () => {
    const place = daemonPlace();
    const args = ['exec', '--no-pty', '--background', '--', 'true'];
    const id = /[a-z]+-[a-z]+/u.exec((await runProgram(program, place, args)).stdout)?.[0] ?? '';
    const refused = await runProgram(program, place, ['logs', '--recording', id]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('EXEC_NO_TERMINAL') });
    expect((await runProgram(program, place, ['logs', '--recording', '-f', id])).code).toBe(2);
  });
});

describe('a person at the control page', () => {
  it('loses the control when the connection of its server ends', async () => {
    const place = daemonPlace();
    const { client, sessionId } = await start(place, ['cat']);
    const server = await connectGateway({ stateDir: place.stateDir, program, start: false });
    const control = { caller, sessionId, typist: 'socket-1', by: 'page:ann' };
    const taken = await server.call('session.control', { ...control, take: true });
    expect(taken).toMatchObject({ ok: true, session: { controller: { by: 'page:ann' } } });
    const second = { ...control, typist: 'socket-2', by: 'page:ben', take: true };
    expect(await client.call('session.control', second)).toMatchObject({ ok: false, controller: { by: 'page:ann' } });
    server.close();
    await until(async () => (await client.call('session.control', second)).ok, 'the release');
    client.close();
  });
});
