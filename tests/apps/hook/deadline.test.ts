/** The deadline of a hook: a client takes silence for yes, so the hook blocks the call itself. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { decideInTime } from '../../../src/apps/hook/deadline.ts';
import { makeFolder } from '../../support/folder.ts';
import { PATIENCE_MS, until } from '../../support/patience.ts';
import { program } from './place.ts';

function makeFifo(): string {
  const fifo = join(makeFolder({}), 'fifo');
  spawnSync('/usr/bin/mkfifo', [fifo]);
  return fifo;
}

/** Both ends in one: it neither ends nor has anything to read. */
function endlessInput(): number {
  const descriptor = openSync(makeFifo(), 'r+');
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

const BLOCKED = { code: 'TOOL_TIMEOUT', message: 'the call was not judged within 0.2 s, so it is blocked' };

it.each([
  ['an endless loop', ['-e', 'for (;;);']],
  ['a system call that does not return', ['-e', 'require("node:fs").openSync(process.argv[1])', '<fifo>']],
  ['a signal handler', ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']],
])('blocks the call where %s keeps the process that decides', async (_, words) => {
  const fifo = makeFifo();
  const args = words.map((word) => (word === '<fifo>' ? fifo : word));
  await expect(decideInTime(args, { deadlineMs: 200 })).rejects.toMatchObject(BLOCKED);
});

it('counts the time in which the client does not end the event', async () => {
  const args = [program, 'hook', '--decider', 'claude-code'];
  await expect(decideInTime(args, { deadlineMs: 200, stdin: endlessInput() })).rejects.toMatchObject(BLOCKED);
});

it('returns output and exit status of the process otherwise', async () => {
  const args = ['-e', 'console.log("out"); console.error("err"); process.exitCode = 7'];
  expect(await decideInTime(args, { deadlineMs: PATIENCE_MS })).toEqual({
    code: 7,
    signal: null,
    out: Buffer.from('out\n'),
    err: Buffer.from('err\n'),
  });
});

/** The program as a hook whose event never ends, and the process in it that decides. */
async function waitingHook() {
  const hook = spawn(process.execPath, [program, 'hook', 'claude-code'], { stdio: [endlessInput(), 'pipe', 'pipe'] });
  const err: Buffer[] = [];
  hook.stderr!.on('data', (piece: Buffer) => err.push(piece));
  const closed = once(hook, 'close');
  let decider = 0;
  await until(() => {
    decider = Number(readFileSync(`/proc/${hook.pid}/task/${hook.pid}/children`, 'utf8'));
    return decider > 1;
  }, 'the process that decides');
  const ended = async () => ({ exit: await closed, text: Buffer.concat(err).toString().split('\n')[0] });
  return { hook, decider, ended };
}

it('blocks the call where the process that decides is killed', async () => {
  const { decider, ended } = await waitingHook();
  process.kill(decider, 'SIGKILL');
  const text = 'INTERNAL_ERROR: the deciding process exited with SIGKILL';
  expect(await ended()).toEqual({ exit: [2, null], text });
});

it('blocks the call and leaves no process when the client gives up', async () => {
  const { hook, decider, ended } = await waitingHook();
  hook.kill('SIGTERM');
  const text = 'TOOL_ABORTED: received SIGTERM before the call was judged, so it is blocked';
  expect(await ended()).toEqual({ exit: [2, null], text });
  await until(() => !existsSync(`/proc/${decider}`), 'the end of the process that decides');
});
