/** One client of the daemon: its requests, as many at once as it likes, their answers and streams. */
import type { Socket } from 'node:net';
import { Fault, faultData } from '../../base/fault.ts';
import type { Caller, ExecOutcome } from '../../wire/exec.ts';
import { type Gateway, type Method, METHODS, type Methods } from '../../wire/methods.ts';
import { Mismatch } from '../../wire/mismatch.ts';
import { check, type Schema } from '../../wire/schema.ts';
import { BrokenFrame, FrameReader, LONGEST_FRAME, messageFrame, outputFrames } from './frames.ts';
import type { FaultData, Hello, ServerMessage, Welcome } from './protocol.ts';
import { followFor, type Way } from './stream.ts';

export interface ConnectionOptions {
  readonly gateway: Gateway;
  /** Decides about a client by its greeting. */
  welcome(hello: Hello): Welcome;
  /** Called when a client has been told that the daemon leaves. */
  leave(): void;
  /** For what nobody foresaw. */
  log(text: string): void;
}

/** A greeting is short, and comes at once. */
const LONGEST_HELLO = 1 << 12;
const HELLO_MS = 5_000;
/** Above this a stream waits for its reader; above the other the reader has stopped reading for good. */
const FULL = 4 << 20;
const DEAD = 64 << 20;
const MOST_REQUESTS = 1_000;
/** A client gives up after 10 s without a sign. */
const HEARTBEAT_MS = 2_000;

/** Serves a client until it goes. */
export function serveClient(socket: Socket, options: ConnectionOptions): void {
  const { gateway } = options;
  const reader = new FrameReader(LONGEST_HELLO);
  const open = new Map<number, AbortController>();
  /** Sessions that live only as long as this client looks at them. */
  const attached = new Map<string, Caller>();
  let greeted = false;
  let heartbeat: NodeJS.Timeout | undefined;
  const impatience = setTimeout(() => socket.destroy(), HELLO_MS);

  socket.on('data', (piece: Buffer) => {
    try {
      for (const frame of reader.read(piece)) {
        if (frame.kind !== 'json') throw new BrokenFrame('output from a client');
        if (socket.destroyed || socket.writableEnded) return;
        take(frame.message);
      }
    } catch (error) {
      if (!(error instanceof BrokenFrame)) options.log(`a client's message failed: ${stackOf(error)}`);
      socket.destroy();
    }
  });
  socket.on('error', () => socket.destroy()); // the client died: `close` follows
  socket.on('close', () => {
    clearTimeout(impatience);
    clearInterval(heartbeat);
    for (const controller of open.values()) controller.abort();
    for (const [sessionId, caller] of attached) endAttached(sessionId, caller);
  });

  function take(message: Readonly<Record<string, unknown>>): void {
    const { hello, id, method, params, cancel } = message;
    if (!greeted) greet(hello);
    else if (typeof cancel === 'number') open.get(cancel)?.abort();
    else if (!isNumber(id) || typeof method !== 'string' || open.has(id)) throw new BrokenFrame('no request');
    else if (open.size >= MOST_REQUESTS) send({ id, error: tooMany() });
    else void answer(id, method, params);
  }

  function greet(hello: unknown): void {
    if (!isHello(hello)) throw new BrokenFrame('no greeting');
    clearTimeout(impatience);
    greeted = true;
    reader.longest = LONGEST_FRAME;
    const welcome = options.welcome(hello);
    send({ hello: welcome });
    if (welcome.answer === 'refused') socket.end();
    else if (welcome.answer === 'leaving') options.leave(); // its end closes this connection: the sign to start another
  }

  async function answer(id: number, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    open.set(id, controller);
    heartbeat ??= setInterval(beat, HEARTBEAT_MS);
    try {
      const result = await resultOf(id, method, params, controller.signal);
      send({ id, result: result ?? null });
      if (method === 'daemon.stop' && (result as Methods['daemon.stop']['result']).stopping) options.leave();
    } catch (error) {
      send({ id, error: faultOf(method, error) });
    } finally {
      open.delete(id);
      if (open.size === 0) {
        clearInterval(heartbeat);
        heartbeat = undefined;
      }
    }
  }

  /** A client that has not read what was sent needs no further sign. */
  function beat(): void {
    if (socket.writableLength === 0) send({ working: [...open.keys()] });
  }

  async function resultOf(id: number, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (!Object.hasOwn(METHODS, method)) throw unknownMethod(method);
    if (method === 'session.follow') return followFor(wayTo(id), gateway, checkedParams(method, params), signal);
    if (method === 'notice.follow') {
      const tell = (notice: unknown): void => send({ id, event: { type: 'notice', notice } });
      return gateway.notices(checkedParams(method, params), tell, signal);
    }
    const known = method as Exclude<Method, 'session.follow' | 'notice.follow'>;
    const asked = checkedParams(known, params);
    const result = await gateway.call(known, asked, signal);
    if (known === 'exec.start') rememberAttached(asked as Methods['exec.start']['params'], result as ExecOutcome);
    if (known === 'session.background') attached.delete((result as Methods['session.background']['result']).id);
    return result;
  }

  function rememberAttached({ context }: Methods['exec.start']['params'], outcome: ExecOutcome): void {
    if (context.attached !== true || outcome.status !== 'running') return;
    if (socket.destroyed) endAttached(outcome.session.id, context.caller);
    else attached.set(outcome.session.id, context.caller);
  }

  function endAttached(sessionId: string, caller: Caller): void {
    gateway.call('session.kill', { caller, sessionId }).catch((error: unknown) => {
      if (!(error instanceof Fault)) options.log(`ending ${sessionId} failed: ${stackOf(error)}`);
    }); // a fault says that it has ended by itself
  }

  function wayTo(id: number): Way {
    return {
      send(event) {
        if (event.type === 'output') for (const frame of outputFrames(id, event)) write(frame);
        else send({ id, event });
        if (event.type === 'end') attached.delete(event.session.id);
      },
      full: () => socket.writableLength > FULL,
      drained: (signal) =>
        new Promise((resolve) => {
          if (socket.destroyed || signal.aborted || !socket.writableNeedDrain) return resolve();
          const done = (): void => {
            socket.off('drain', done).off('close', done);
            signal.removeEventListener('abort', done);
            resolve();
          };
          socket.on('drain', done).on('close', done);
          signal.addEventListener('abort', done);
        }),
    };
  }

  function send(message: ServerMessage): void {
    const frame = messageFrame(message);
    if (frame !== undefined) write(frame);
    else if ('id' in message) send({ id: message.id, error: tooLarge() });
  }

  function write(frame: Buffer): void {
    if (socket.destroyed || socket.writableEnded) return;
    socket.write(frame);
    if (socket.writableLength > DEAD) socket.destroy();
  }

  function faultOf(method: string, error: unknown): FaultData {
    if (error instanceof Fault) return faultData(error);
    options.log(`${method} failed: ${stackOf(error)}`);
    return faultData(
      new Fault('INTERNAL_ERROR', `unexpected ${String(error)} in ${method}`, {
        hint: 'this is a defect of pincer; the log of the daemon says more (pincer daemon status names it)',
      }),
    );
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}

function isHello(value: unknown): value is Hello {
  if (typeof value !== 'object' || value === null) return false;
  const { protocol, version, time } = value as Partial<Hello>;
  return isNumber(protocol) && typeof version === 'string' && typeof time === 'number';
}

/** The parameters without members that this daemon does not know; a client of another build may send anything. */
function checkedParams<M extends Method>(method: M, params: unknown): Methods[M]['params'] {
  try {
    return check(METHODS[method].params as Schema<Methods[M]['params']>, params, 'params');
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const { place, expected, message } = error;
    throw new Fault('GATEWAY_BAD_REQUEST', `${method}: ${message}`, {
      hint: 'docs/protocol.md lists the parameters; if program and daemon differ, run pincer daemon stop',
      details: { method, place, expected },
      cause: error,
    });
  }
}

function unknownMethod(method: string): Fault {
  return new Fault('GATEWAY_UNKNOWN_METHOD', `the daemon has no method ${JSON.stringify(method)}`, {
    hint: 'program and daemon differ: pincer daemon stop, and run the command again',
  });
}

function tooMany(): FaultData {
  return faultData(
    new Fault('GATEWAY_BUSY', `there are ${MOST_REQUESTS} requests of this client in work`, {
      hint: 'wait for answers before asking more',
    }),
  );
}

function tooLarge(): FaultData {
  return faultData(
    new Fault('GATEWAY_TOO_LARGE', `the answer has more than ${LONGEST_FRAME} bytes`, {
      hint: 'ask for less at once, such as a part of the log',
    }),
  );
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
