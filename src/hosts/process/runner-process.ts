/** The daemon's end of the runner that starts the programs of this machine: starts it, speaks to it, and hears when it dies. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { FrameReader } from '../channel/frames.ts';
import { sendMessage } from '../channel/long-message.ts';
import { FrameSender } from '../channel/sending.ts';
import type { News, Order, Welcome } from '../sandbox/link/messages.ts';

/** Whoever starts programs. */
export interface RunnerProcess {
  send(id: number, order: Order): void;
  /** Whether the process that started it has to stay for it. */
  hold(isBusy: boolean): void;
  /** Ends it and all that it started; resolves when it is gone. */
  close(): Promise<void>;
}

export type Report = (id: number, news: News) => void;

/** What a runner of this machine is told first. */
export type LocalWelcome = Welcome & Required<Pick<Welcome, 'streams'>>;

/** Starts programs from the process that calls it. */
export type StartWithin = (welcome: LocalWelcome, report: Report) => RunnerProcess;

export interface RunnerEvents {
  readonly report: Report;
  /** Once, unless it was closed. */
  readonly died: (reason: string) => void;
}

/** How long the news of its exit may come behind the end of its channel. */
const EXIT_MS = 200;

/** Starts the runner as a process: a script that Node can run. */
export function startRunner(script: string, welcome: LocalWelcome, events: RunnerEvents): RunnerProcess {
  let isClosing = false;
  let isDead = false;
  let markGone: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    markGone = resolve;
  });
  const die = (reason: string) => {
    if (isDead) return;
    isDead = true;
    markGone();
    if (!isClosing) events.died(reason);
  };
  const child = spawn(process.execPath, ['--max-semi-space-size=1', script, '--spawn'], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true, // a key that interrupts the daemon's terminal is not for it
  });
  child.once('error', (error) => die(error.message));
  child.once('exit', (code, signal) =>
    die(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
  );
  child.unref();
  const control = child.stdio[3] as Socket;
  const sender = new FrameSender(control);
  const reader = new FrameReader();
  control.on('data', (bytes: Buffer) =>
    reader.read(bytes, (kind, id, payload) => {
      if (kind === 'message') events.report(id, JSON.parse(Buffer.from(payload).toString('utf8')) as News);
    }),
  );
  control.on('error', (error) => die(error.message));
  control.on('close', () => setTimeout(() => die('it closed its channel'), EXIT_MS)); // its exit says more
  control.unref();
  sender.message(0, welcome);
  return {
    send: (id, order) => sendMessage(sender, id, order),
    hold: (isBusy) => (isBusy ? control.ref() : control.unref()),
    close() {
      isClosing = true;
      child.ref();
      control.end();
      return gone;
    },
  };
}
