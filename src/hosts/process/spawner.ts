/** The launcher's end of the spawner: starts it, speaks to it, and hears when it dies. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { lineReader, type Order, type Report } from './protocol.ts';

/** Whoever starts programs. */
export interface Spawner {
  send(order: Order): void;
  /** Whether the process that started it has to stay for it. */
  hold(isBusy: boolean): void;
  /** Ends it and all that it started; resolves when it is gone. */
  close(): Promise<void>;
}

export interface SpawnerEvents {
  report(report: Report): void;
  /** Once, unless it was closed. */
  died(reason: string): void;
}

/** How long the news of its exit may come behind the end of its channel. */
const EXIT_MS = 200;

/** Starts the spawner as a process: a script that Node can run. */
export function startSpawner(script: string, hello: Order, events: SpawnerEvents): Spawner {
  let closing = false;
  let isDead = false;
  let markGone: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    markGone = resolve;
  });
  const die = (reason: string) => {
    if (isDead) return;
    isDead = true;
    markGone();
    if (!closing) events.died(reason);
  };
  const child = spawn(process.execPath, ['--max-semi-space-size=1', script, '--spawn'], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true, // a key that interrupts the launcher's terminal is not for it
  });
  child.once('error', (error) => die(error.message));
  child.once('exit', (code, signal) =>
    die(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
  );
  child.unref();
  const control = child.stdio[3] as Socket;
  control.setEncoding('utf8');
  const read = lineReader((value) => events.report(value as Report));
  control.on('data', (text) => read(String(text)));
  control.on('error', (error) => die(error.message));
  control.on('close', () => setTimeout(() => die('it closed its channel'), EXIT_MS)); // its exit says more
  control.unref();
  const send = (order: Order) => control.write(`${JSON.stringify(order)}\n`);
  send(hello);
  return {
    send,
    hold: (isBusy) => (isBusy ? control.ref() : control.unref()),
    close() {
      closing = true;
      child.ref();
      control.end();
      return gone;
    },
  };
}
