/** The launcher's side of one session: its streams, its end, and the hand that is given out. */
import type { Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import type { TerminalSize } from '../../wire/session.ts';
import { removeCgroup } from './cgroup.ts';
import { interruptGroups, killTree } from './kill.ts';
import type { Exit, Launch, Launched, Listener } from './launch.ts';
import { Linger } from './linger.ts';
import { markLines } from './mark.ts';
import { streamsOf, type Report, type StreamName } from './protocol.ts';

const EOT = Uint8Array.of(4);
/** How often the end waits for a stream that has not arrived: ten seconds in all. */
const MOST_WAITS_FOR_STREAMS = 20;

type Started = Extract<Report, { type: 'started' }>;

export interface RunningOptions {
  readonly launch: Launch;
  readonly listener: Listener;
  readonly owner: string;
  readonly graceMs: number;
  readonly warnings: readonly string[];
  readonly resize: (size: TerminalSize) => void;
  /** What is being ended, so that nobody leaves before it is. */
  readonly hunts: Set<Promise<void>>;
  /** When it has ended and nothing of it will come any more. */
  readonly gone: () => void;
}

/** One session. */
export interface Running {
  readonly launched: Promise<Launched>;
  /** A stream has arrived. */
  receive(name: StreamName, socket: Socket): ((bytes: Uint8Array) => boolean) | undefined;
  started(report: Started): void;
  ended(exit: Exit): void;
  kill(graceMs?: number): Promise<void>;
  readonly hasEnded: boolean;
  /** Resolves when its end was told. */
  readonly told: Promise<void>;
}

export function createRunning({
  launch,
  listener,
  owner,
  graceMs,
  warnings,
  resize,
  hunts,
  gone,
}: RunningOptions): Running {
  const sockets: Partial<Record<StreamName, Socket>> = {};
  const open = new Set<StreamName>(['out', 'err']);
  const paused = new Set<Socket>();
  const waiters: { resolve: (socket: Socket) => void; reject: (fault: Fault) => void }[] = [];
  let names: readonly StreamName[] = [];
  let report: Started | undefined;
  let exit: Exit | undefined;
  let isTold = false;
  let inputEnded = false;
  let resolveLaunched: (launched: Launched) => void;
  const launched = new Promise<Launched>((resolve) => {
    resolveLaunched = resolve;
  });

  let resolveTold: () => void;
  const told = new Promise<void>((resolve) => {
    resolveTold = resolve;
  });

  const tell = () => {
    if (exit === undefined || isTold) return;
    isTold = true;
    linger.stop();
    listener.exited(exit);
    resolveTold();
    if (report?.cgroup !== undefined) removeCgroup(report.cgroup);
    leaveWhenDone();
  };
  const leaveWhenDone = () => {
    if (isTold && open.size === 0) gone();
  };
  const streamEnded = (name: StreamName) => {
    open.delete(name);
    if (exit !== undefined && open.size === 0) tell();
    leaveWhenDone();
  };
  let waitsForStreams = MOST_WAITS_FOR_STREAMS;
  const linger = new Linger(() => {
    if (paused.size > 0) return;
    // Every stream is connected before the program starts: one that is missing is still on its way.
    const isMissing = [...open].some((name) => sockets[name] === undefined);
    if (isMissing && waitsForStreams-- > 0) linger.start();
    else tell();
  });

  const inputClosed = () =>
    new Fault('EXEC_INPUT_CLOSED', `the input of session ${launch.session} is closed`, {
      hint: 'the command has ended, or has no input: start it with pty to type into it while it runs',
    });
  const input = (): Promise<Socket> | Socket => {
    if (sockets.in !== undefined) return sockets.in;
    if (exit !== undefined || !names.includes('in')) throw inputClosed();
    return new Promise((resolve, reject) => waiters.push({ resolve, reject }));
  };

  const hand = (pid: number, pty: boolean, all: readonly string[]): Launched => ({
    pid,
    pty,
    warnings: all,
    async write(bytes) {
      if (inputEnded) throw inputClosed();
      const socket = await input();
      await new Promise<void>((resolve, reject) => {
        if (socket.destroyed || !socket.writable) return reject(inputClosed());
        const closed = () => reject(inputClosed());
        socket.once('close', closed);
        socket.write(bytes, (error) => {
          socket.off('close', closed);
          // Node takes what a destroyed socket still held for written.
          if ((error === undefined || error === null) && !socket.destroyed) resolve();
          else closed();
        });
      });
    },
    endInput() {
      if (inputEnded || exit !== undefined) return;
      if (pty) {
        this.write(EOT).catch(() => {}); // it has ended in the meantime
        return;
      }
      inputEnded = true;
      if (sockets.in !== undefined) sockets.in.end();
    },
    resize(size) {
      if (pty && exit === undefined) resize(size);
    },
    resume() {
      for (const socket of paused) socket.resume();
      paused.clear();
      if (exit !== undefined && !isTold) linger.start();
    },
    interrupt: () => interruptGroups(report?.processes ?? []),
    kill,
  });

  async function kill(grace = graceMs): Promise<void> {
    const tree = {
      roots: report?.processes ?? [],
      mark: markLines(owner, launch.session),
      ...(report?.cgroup === undefined ? {} : { cgroup: report.cgroup }),
    };
    const hunt = killTree(tree, grace);
    hunts.add(hunt);
    await hunt.finally(() => hunts.delete(hunt));
    if (report?.cgroup !== undefined) removeCgroup(report.cgroup);
  }

  return {
    launched,
    told,
    kill,
    get hasEnded() {
      return exit !== undefined;
    },
    receive(name, socket) {
      if (sockets[name] !== undefined || (isTold && exit?.kind !== 'code' && exit?.kind !== 'signal')) return undefined;
      sockets[name] = socket;
      if (name === 'in') {
        for (const { resolve } of waiters.splice(0)) resolve(socket);
        if (inputEnded) socket.end();
        return () => true; // a program that writes to its input is not heard
      }
      linger.arrived();
      socket.end(); // a program that reads from its output finds nothing there
      let done = false;
      const end = () => {
        if (!done) streamEnded(name);
        done = true;
      };
      socket.once('end', end);
      socket.once('close', end);
      return (bytes) => {
        linger.arrived();
        const goOn = listener.output(name, bytes);
        if (!goOn) paused.add(socket);
        return goOn;
      };
    },
    started(news) {
      report = news;
      names = streamsOf(news.pty ? launch : withoutTerminal(launch), news.pty);
      for (const name of ['out', 'err'] as const) if (!names.includes(name)) open.delete(name);
      const last = news.processes.at(-1);
      resolveLaunched(hand(last?.pid ?? 0, news.pty, [...warnings, ...news.warnings]));
    },
    ended(how) {
      if (exit !== undefined) return;
      exit = how;
      if (report === undefined) {
        open.clear();
        resolveLaunched(hand(0, false, warnings));
      }
      sockets.in?.destroy();
      for (const { reject } of waiters.splice(0)) reject(inputClosed());
      if (how.kind === 'lost') open.clear();
      // After the promise of the launch, which whoever started it waits for.
      if (open.size === 0) setImmediate(tell);
      else linger.start();
    },
  };
}

/** A launch that wanted a terminal and got pipes. */
function withoutTerminal({ pty, ...launch }: Launch): Launch {
  return pty === undefined ? launch : { ...launch, streams: 'merged', stdin: 'open' };
}
