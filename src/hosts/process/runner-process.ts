/** Another process of the runner, in one of its roles: starts it, speaks to it in frames, and hears when it is gone. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { type FrameKind, FrameReader, type FrameTaker } from '../channel/frames.ts';
import { sendMessage } from '../channel/long-message.ts';
import { FrameSender } from '../channel/sending.ts';
import type { News, Order, Welcome } from '../sandbox/link/messages.ts';

/** Whoever starts commands. */
export interface Runner {
  send(id: number, order: Order): void;
  /** Whether the process that started it has to stay for it. */
  hold(isBusy: boolean): void;
  /** It ends all that it started, and leaves; resolves when it is gone. */
  close(): Promise<unknown>;
}

export interface RunnerProcess extends Runner {
  readonly pid: number | undefined;
  /** Resolves when all that it said was heard and it is gone, with the reason. */
  readonly gone: Promise<string>;
  raw(kind: FrameKind, id: number, payload: Uint8Array): void;
  /** Keeps it from saying more until `resume`. */
  pause(): void;
  resume(): void;
}

/** What a runner of this machine is told first. */
export type LocalWelcome = Welcome & Required<Pick<Welcome, 'streams'>>;

/** Starts commands from the process that calls it. */
export type StartWithin = (welcome: LocalWelcome, report: (id: number, news: News) => void) => Runner;

/** How long the news of its exit may come behind the end of its channel. */
const EXIT_MS = 200;

/** Starts the program with this role added to its arguments. */
export function startRunner(
  [program, ...args]: readonly [string, ...string[]],
  role: '--spawn' | '--terminal' | '--tools',
  welcome: Welcome,
  take: FrameTaker,
): RunnerProcess {
  const child = spawn(program, [...args, role], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true, // a key that interrupts this process's terminal is not for it
  });
  const channel = child.stdio[3] as Socket;
  const sender = new FrameSender(channel);
  const reader = new FrameReader();
  const gone = new Promise<string>((resolve) => {
    let reason: string | undefined;
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => {
      reason = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
      if (channel.closed) resolve(reason);
    });
    channel.once('close', () => {
      if (reason !== undefined) resolve(reason);
      else setTimeout(() => resolve('it closed its channel'), EXIT_MS); // its exit says more
    });
  });
  channel.on('data', (bytes: Buffer) => reader.read(bytes, take));
  channel.on('error', () => channel.destroy()); // `close` follows
  sender.message(0, welcome);
  return {
    pid: child.pid,
    gone,
    send: (id, order) => sendMessage(sender, id, order),
    raw: (kind, id, payload) => sender.raw(kind, id, new Uint8Array(payload)),
    hold(isBusy) {
      child.unref();
      if (isBusy) channel.ref();
      else channel.unref();
    },
    close() {
      child.ref();
      channel.end();
      return gone;
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
  };
}
