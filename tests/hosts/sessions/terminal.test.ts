import { existsSync, realpathSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Session, Sessions } from '../../../src/hosts/sessions/shape.ts';
import { runs } from '../../support/budget.ts';
import { makeFolder } from '../../support/folder.ts';
import { faultOf } from '../../support/fault.ts';
import { advancedUntil } from '../../support/patience.ts';
import { AGENT, makeSessions } from '../../support/sessions.ts';

const PTY = { pty: { cols: 60, rows: 10 } };

/** Resolves when the output holds this. */
async function saying(sessions: Sessions, session: Session, wanted: string): Promise<void> {
  const stop = new AbortController();
  let text = '';
  await sessions.follow(
    AGENT,
    session.id,
    0,
    (event) => {
      if (event.type === 'output') text += Buffer.from(event.bytes).toString('latin1');
      if (text.includes(wanted)) stop.abort();
    },
    stop.signal,
  );
}

test('no byte of the last 60 kB in a terminal is lost', async () => {
  const { run, sessions } = await makeSessions();
  const script = 'i=0; while [ $i -lt 600 ]; do printf "%099d\\n" $i; i=$((i+1)); done';
  for (let round = 0; round < runs(5, 200); round++) {
    const started = await Promise.all(Array.from({ length: 4 }, () => run(script, PTY)));
    for (const session of started) {
      const { bytes, exitCode } = await session.ended();
      expect({ bytes, exitCode }).toEqual({ bytes: 60_600, exitCode: 0 });
      const { text } = await sessions.log(AGENT, session.id, 599, 1);
      expect(text).toBe(`${'599'.padStart(99, '0')}\n`);
      sessions.clear(AGENT, session.id);
    }
  }
});

test('the screen can be read, also after the end', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run("printf '\\033]0;a title\\007\\033[2J\\033[3;5Hhere\\033[1;1Htop'; read x", PTY);
  await saying(sessions, session, 'top');
  const expected = {
    lines: ['top', '', '    here', '', '', '', '', '', '', ''],
    cursor: { row: 0, col: 3 },
    size: { cols: 60, rows: 10 },
    title: 'a title',
    alternate: false,
  };
  expect(await sessions.screen(AGENT, session.id)).toEqual({ session: session.info(), ...expected });
  await session.kill('killed');
  const { session: info, ...after } = await sessions.screen(AGENT, session.id);
  expect({ lines: after.lines, status: info.status }).toEqual({ lines: expected.lines, status: 'failed' });
});

test('a program that requests the cursor position gets it', async () => {
  const { run } = await makeSessions();
  const ask = "stty raw -echo; printf 'abc\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c";
  const session = await run(ask, PTY);
  await session.ended();
  expect(session.output(1000).text.replaceAll(/\s+/gu, ' ')).toBe('abc 033 [ 1 ; 4 R ');
});

test('a resize reaches the program', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done", PTY);
  await saying(sessions, session, 'ready');
  expect(sessions.resize(AGENT, session.id, { cols: 90, rows: 20 }).pty).toEqual({ cols: 90, rows: 20 });
  await session.ended();
  expect(session.output(1000).text).toContain('20 90');
  expect((await sessions.screen(AGENT, session.id)).size).toEqual({ cols: 90, rows: 20 });
  for (const size of [
    { cols: 0, rows: 5 },
    { cols: 1e9, rows: 5 },
    { cols: 1.5, rows: 5 },
  ]) {
    expect(faultOf(() => sessions.resize(AGENT, session.id, size)).code).toBe('PARAM_INVALID');
  }
});

test('keys follow the modes of the program', async () => {
  const { run, sessions } = await makeSessions();
  const show = "printf '\\033[?1h\\033[?2004h'; stty raw -echo; printf ready; dd bs=1 count=3 2>/dev/null | od -An -c";
  const session = await run(show, PTY);
  await saying(sessions, session, 'ready');
  await sessions.screen(AGENT, session.id);
  const { bytes, warnings } = await sessions.input(AGENT, session.id, { kind: 'keys', keys: ['Up'] });
  expect({ bytes, warnings }).toEqual({ bytes: 3, warnings: [] });
  await session.ended();
  expect(session.output(1000).text.replaceAll(/\s+/gu, ' ')).toBe('ready 033 O A ');
});

test('a paste is marked, and a submit ends the line', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('stty -echo; printf ready; read -r line; printf "%s" "$line" | od -An -c', PTY);
  await saying(sessions, session, 'ready');
  const paste = await sessions.input(AGENT, session.id, { kind: 'paste', text: 'hi' });
  expect({ bytes: paste.bytes, warnings: paste.warnings }).toEqual({
    bytes: 14,
    warnings: ['the program has not requested paste marks: if it shows 200~, paste with bracketed=false'],
  });
  await sessions.input(AGENT, session.id, { kind: 'submit' });
  await session.ended();
  expect(session.output(1000).text.replaceAll(/\s+/gu, ' ')).toBe('ready 033 [ 2 0 0 ~ h i 033 [ 2 0 1 ~ ');
});

test.skipIf(!existsSync('/usr/bin/less'))('a full-screen program reacts to keys and shows its screen', async () => {
  const { run, sessions } = await makeSessions();
  const stages = [{ file: realpathSync('/usr/bin/less'), argv: ['less', 'numbers'] }] as const;
  const cwd = makeFolder({ numbers: Array.from({ length: 100 }, (_, line) => `line ${line + 1}\n`).join('') });
  const env = { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', LESSHISTFILE: '-' };
  const session = await run('less numbers', { stages, cwd, env, ...PTY });
  await saying(sessions, session, 'line 9');
  await sessions.input(AGENT, session.id, { kind: 'keys', keys: ['Down', 'Down'] });
  await saying(sessions, session, 'line 11');
  const screen = await sessions.screen(AGENT, session.id);
  expect(screen.alternate).toBe(true);
  expect(screen.lines[0]).toBe('line 3');
  await sessions.input(AGENT, session.id, { kind: 'keys', literal: 'q' });
  expect(await session.ended()).toMatchObject({ status: 'completed', exitCode: 0 });
  expect((await sessions.screen(AGENT, session.id)).alternate).toBe(false);
});

test('end of input reaches a terminal and a pipe', async () => {
  const { run, sessions } = await makeSessions();
  const terminal = await run('stty -echo; printf ready; cat; echo over', PTY);
  await saying(sessions, terminal, 'ready');
  await sessions.input(AGENT, terminal.id, { kind: 'write', data: 'x\n', eof: true });
  await terminal.ended();
  expect(terminal.output(1000).text).toBe('readyx\nover\n');
  const pipe = await run('cat; echo over', { stdin: 'open' });
  const { session } = await sessions.input(AGENT, pipe.id, { kind: 'write', data: 'x\n', eof: true });
  expect(session.stdinOpen).toBe(false);
  await pipe.ended();
  expect(pipe.output(1000).text).toBe('x\nover\n');
});

test('a session without a terminal gets keys as bytes and has no screen', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('read -r x; echo "got $x"', { stdin: 'open' });
  const { warnings } = await sessions.input(AGENT, session.id, { kind: 'keys', literal: 'hi', keys: ['Enter'] });
  expect(warnings).toEqual([
    'the session has no terminal: keys are sent to its standard input as bytes, Enter as a line feed',
  ]);
  await session.ended();
  expect(session.output(100).text).toBe('got hi\n');
  await expect(sessions.screen(AGENT, session.id)).rejects.toMatchObject({ code: 'EXEC_NO_TERMINAL' });
  expect(() => sessions.resize(AGENT, session.id, { cols: 80, rows: 24 })).toThrow('has no terminal');
});

test.each([
  ['was never open', {}, false],
  ['has ended with its session', { stdin: 'open' }, true],
] as const)('an input that %s is refused', async (_, how, end) => {
  const { run, sessions } = await makeSessions();
  const session = await run(end ? 'true' : 'sleep 60', how);
  if (end) await session.ended();
  await expect(sessions.input(AGENT, session.id, { kind: 'write', data: 'x' })).rejects.toMatchObject({
    code: 'EXEC_INPUT_CLOSED',
    message: `the standard input of session ${session.id} is closed`,
  });
});

test('input for a program that does not read is buffered, up to a limit', async () => {
  const { run, sessions } = await makeSessions();
  const session = await run('exec sleep 60', { stdin: 'open' });
  const much = { kind: 'write', data: 'x'.repeat(4_000_000) } as const;
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isAnswered = false;
  const answer = sessions.input(AGENT, session.id, much).finally(() => (isAnswered = true));
  await advancedUntil(5000, () => isAnswered, 'the answer to the input');
  const { bytes, warnings } = await answer;
  expect({ bytes, warnings }).toEqual({
    bytes: 4_000_000,
    warnings: ['the program has not read this input yet; it stays in the input buffer'],
  });
  await expect(sessions.input(AGENT, session.id, much)).rejects.toMatchObject({ code: 'EXEC_INPUT_FULL' });
});
