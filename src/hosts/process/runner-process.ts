/** Another process of the runner, in one of its roles: starts it, calls it over a channel, and notices when it is gone. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { TerminalSize } from '../../wire/session.ts';
import { type Channel, openChannel } from '../channel/channel.ts';
import type { Exit, Launch } from './launch.ts';
import type { RunReport, Welcome } from './runner-messages.ts';

/** Starts the commands of this machine. */
export interface Runner {
  /** Resolves when all programs have ended, or nothing was started. Rejects when the runner is gone. */
  start(id: number, launch: Launch, report: (event: RunReport) => void): Promise<Exit>;
  resize(id: number, size: TerminalSize): void;
  /** Whether it keeps this process from exiting. */
  hold(isBusy: boolean): void;
  /** Ends all that it started. Resolves when it is gone. */
  close(): Promise<unknown>;
}

export interface RunnerProcess extends Pick<Runner, 'hold' | 'close'> {
  readonly pid: number | undefined;
  readonly channel: Channel;
  /** Resolves when all that it sent was received and it is gone, with the reason. */
  readonly gone: Promise<string>;
}

/** The welcome of a runner on this machine. */
export type LocalWelcome = Welcome & Required<Pick<Welcome, 'streams'>>;

/** Starts commands from the process that calls it. */
export type StartWithin = (welcome: LocalWelcome) => Runner;

/** How long its exit may be reported after the end of its channel. */
const EXIT_MS = 200;

/** Starts the program with this role added to its arguments. */
export function startRunner(
  [program, ...args]: readonly [string, ...string[]],
  role: '--spawn' | '--terminal' | '--tools',
  welcome: Welcome,
): RunnerProcess {
  const child = spawn(program, [...args, role], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true, // Ctrl-C in this process's terminal must not interrupt it
  });
  const socket = child.stdio[3] as Socket;
  const gone = new Promise<string>((resolve) => {
    let reason: string | undefined;
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => {
      reason = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
      if (socket.closed) resolve(reason);
    });
    socket.once('close', () => {
      if (reason !== undefined) resolve(reason);
      else setTimeout(() => resolve('it closed its channel'), EXIT_MS); // its exit says more
    });
  });
  const channel = openChannel(socket, {
    trust: 'same-build',
    side: 'opener',
    lost: (reason) => new Error(`the runner has ended: ${reason}`),
  });
  channel.call('runner.welcome', welcome).catch(() => {}); // every later call is lost, too
  return {
    pid: child.pid,
    channel,
    gone,
    hold(isBusy) {
      child.unref();
      if (isBusy) socket.ref();
      else socket.unref();
    },
    close() {
      child.ref();
      socket.end();
      return gone;
    },
  };
}
