/** The real program as a process that is fed calls and may be killed. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Ground } from '../escapes/ground.ts';
import { PINCER, type ToolCall } from '../escapes/program.ts';

export interface Writer {
  send(call: ToolCall): void;
  /** Resolves when so many answers have come. */
  answered(count: number): Promise<void>;
  answers(): number;
  kill(): Promise<void>;
}

export function startWriter({ ws, home, state, top }: Ground): Writer {
  const [command = '', ...first] = PINCER;
  const env = { PATH: process.env['PATH'], HOME: home, PINCER_STATE_DIR: state };
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    command,
    [...first, 'call', '--batch', '--workspace', ws, '--json'],
    { env, cwd: top, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let lines = 0;
  let sent = 0;
  let heard = () => {};
  child.stdout.on('data', (bytes: Buffer) => {
    for (const byte of bytes) if (byte === 10) lines++;
    heard();
  });
  child.stdin.on('error', () => {}); // it may be dead already, which is what it is for
  return {
    send: (call) => void child.stdin.write(`${JSON.stringify({ id: String(sent++), ...call })}\n`),
    answered: (count) =>
      new Promise((done, fail) => {
        heard = () => lines >= count && done();
        child.once('exit', () => fail(new Error(`the program ended after ${lines} answers`)));
        heard();
      }),
    answers: () => lines,
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
