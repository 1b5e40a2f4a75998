/** The daemon seen through its socket, as a `Gateway`. */
import type { Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import type { Notice } from '../../wire/notice.ts';
import type { Gateway, Method, Methods } from '../../wire/methods.ts';
import type { FollowEvent, SessionInfo } from '../../wire/session.ts';
import { FrameReader, LONGEST_FRAME, messageFrame } from '../daemon/frames.ts';
import { SILENCE_MS, unresponsive, watchSilence } from './silence.ts';
import { inTurns } from './turns.ts';
import { faultFrom, type FaultData, type Hello, type StreamEvent, type Welcome } from '../daemon/protocol.ts';

/** A connection that has been greeted. */
export interface Client extends Gateway {
  readonly daemon: Welcome;
  /** False when the connection has ended: nothing more can be asked. */
  readonly isOpen: boolean;
  /** Resolves when the connection has ended, whoever ended it; the process stays up for that. */
  closed(): Promise<void>;
  /** Ends it; requests that still wait for their answers are lost. */
  close(): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
  event?(event: FollowEvent | StreamEvent): void;
}

export interface GreetOptions {
  /** The process that should answer, for the message about one that does not. */
  readonly pid?: number;
  /** How long the daemon may be silent while a request waits. Default: 10,000. */
  readonly silenceMs?: number;
}

/**
 * Greets over a socket that is being connected. Rejects with the error of the system when nobody listens, and with
 * GATEWAY_UNRESPONSIVE when whoever listens does not answer.
 */
export function greet(socket: Socket, hello: Hello, options: GreetOptions = {}): Promise<Client> {
  const reader = new FrameReader();
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let failure: Error | undefined;
  let welcomed: ((welcome: Welcome) => void) | undefined;
  let pid = options.pid;
  let greeted: Welcome | undefined;
  /** Whether the daemon sends heartbeats; one of an earlier version is silent while a request waits. */
  let pulses = false;
  const silenceMs = options.silenceMs ?? SILENCE_MS;
  const silence = watchSilence(silenceMs, () => {
    failure = unresponsive(pid, silenceMs);
    socket.destroy();
  });
  silence.start(); // for the greeting

  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('data', (piece: Buffer) => {
    silence.heard();
    try {
      for (const frame of reader.read(piece)) {
        if (frame.kind === 'output') tell(frame.id, frame.event);
        else hear(frame.message);
      }
    } catch (error) {
      failure = error as Error; // after a frame that is none, nothing can be told
      socket.destroy();
    }
  });
  socket.on('error', (error) => (failure ??= error));
  socket.write(messageFrame({ hello })!);

  function hear({ hello: welcome, id, result, error, event }: Heard): void {
    if (welcome !== undefined) welcomed?.(welcome);
    else if (id !== undefined && event !== undefined) tell(id, event);
    else if (id !== undefined) {
      const waiter = waiting.get(id);
      forget(id);
      if (error === undefined) waiter?.resolve(result);
      else waiter?.reject(faultFrom(greeted === undefined ? error : ofOtherBuild(error, hello, greeted)));
    }
  }

  /** What a listener throws ends its own stream, and nothing else. */
  function tell(id: number, event: FollowEvent | StreamEvent): void {
    const waiter = waiting.get(id);
    try {
      waiter?.event?.(event);
    } catch (error) {
      forget(id);
      cancel(id);
      waiter?.reject(error as Error);
    }
  }

  function forget(id: number): void {
    waiting.delete(id);
    if (waiting.size === 0) rest();
  }

  /** Nothing waits: the process may end, and the daemon owes no answer. */
  function rest(): void {
    silence.stop();
    socket.unref();
  }

  function cancel(id: number): void {
    if (!socket.destroyed) socket.write(messageFrame({ cancel: id })!);
  }

  function ask(method: string, params: object, signal?: AbortSignal, event?: Waiting['event']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(failure instanceof Fault ? failure : lost(failure));
      const id = ++lastId;
      const frame = messageFrame({ id, method, params });
      if (frame === undefined) return reject(tooLarge(method));
      const stop = (): void => cancel(id);
      const done = (): void => signal?.removeEventListener('abort', stop);
      const waiter: Waiting = {
        resolve(result) {
          done();
          resolve(result);
        },
        reject(error) {
          done();
          reject(error);
        },
        ...(event === undefined ? {} : { event }),
      };
      waiting.set(id, waiter);
      socket.ref();
      if (pulses) silence.start();
      socket.write(frame);
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  return new Promise((resolve, reject) => {
    welcomed = (daemon) => {
      welcomed = undefined;
      greeted = daemon;
      pid = daemon.pid;
      pulses = daemon.heartbeat === true;
      rest();
      resolve({
        daemon,
        get isOpen() {
          return !socket.destroyed && socket.writable;
        },
        closed: () => {
          socket.ref();
          return closed;
        },
        close: () => socket.destroySoon(),
        call: <M extends Method>(method: M, params: Methods[M]['params'], signal?: AbortSignal) =>
          ask(method, params, signal) as Promise<Methods[M]['result']>,
        follow: async (params, listener, signal) => {
          const turns = inTurns(listener);
          const session = await ask('session.follow', params, signal, (event) => turns.hear(event as FollowEvent));
          await turns.heard();
          return session as SessionInfo;
        },
        notices: async (params, listener, signal) => {
          await ask('notice.follow', params, signal, (event) => {
            if (event.type === 'notice') listener(event.notice as Notice);
          });
        },
      });
    };
    socket.once('close', () => {
      silence.stop();
      reject(failure ?? lost(undefined));
      for (const waiter of waiting.values()) waiter.reject(failure instanceof Fault ? failure : lost(failure));
      waiting.clear();
    });
  });
}

interface Heard {
  readonly hello?: Welcome;
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: FaultData;
  readonly event?: StreamEvent;
}

function lost(cause: Error | undefined): Fault {
  return new Fault('GATEWAY_LOST', 'the daemon ended the connection before it answered', {
    hint: 'pincer ps shows what runs; pincer daemon status names the log',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A daemon that runs sessions stays when the program is replaced, and may lack what the new one asks for. */
function ofOtherBuild(error: FaultData, own: Hello, { pid, version, time }: Welcome): FaultData {
  if (error.code !== 'GATEWAY_UNKNOWN_METHOD') return error;
  const age = time < own.time ? 'an older' : 'another';
  return {
    ...error,
    message: `${error.message}: it is of ${age} build (version ${version}, pid ${pid})`,
    hint: 'pincer daemon stop --force ends it, and its sessions; the next command starts one of this build',
  };
}

function tooLarge(method: string): Fault {
  return new Fault('GATEWAY_TOO_LARGE', `the request ${method} has more than ${LONGEST_FRAME} bytes`, {
    hint: 'send less at once, or put it into a file',
  });
}
