/** Serves one client of the daemon: its greeting, then its requests, concurrently. */
import type { Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { stackOf } from '../../base/message-of.ts';
import { openChannel } from '../../hosts/channel/channel.ts';
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import type { Caller, ExecOutcome } from '../../wire/exec.ts';
import type { Hello, Welcome } from '../../wire/message.ts';
import { type Gateway, type Method, METHODS, type Methods } from '../../wire/methods.ts';
import { Mismatch } from '../../wire/mismatch.ts';
import { check, type Schema } from '../../wire/schema.ts';
import type { ControlAnswer, FollowEvent } from '../../wire/session.ts';
import { greetingBytes, InvalidGreeting, readGreeting } from './greeting.ts';

export interface ServeOptions {
  readonly gateway: Gateway;
  /** Accepts or refuses a client by its greeting. */
  readonly welcome: (hello: Hello) => Welcome;
  /** Called after a client was informed that the daemon stops. */
  readonly leave: () => void;
  readonly log: (text: string) => void;
}

const HELLO_MS = 5_000;
/** A client with more unread bytes has stopped reading; one that sends more bytes of unfinished requests is not pincer. */
const MOST_WAITING = 64 << 20;
/** A client gives up after 10 s of silence. */
const HEARTBEAT_MS = 2_000;

export function serveClient(socket: Socket, options: ServeOptions): void {
  const timeout = setTimeout(() => socket.destroy(), HELLO_MS);
  readGreeting(socket)
    .then((hello) => {
      if (hello !== undefined) greet(socket, options, hello);
    })
    .catch((error: unknown) => {
      if (!(error instanceof InvalidGreeting) && !socket.destroyed)
        options.log(`a handshake failed: ${stackOf(error)}`);
      socket.destroy();
    })
    .finally(() => clearTimeout(timeout));
}

function greet(socket: Socket, options: ServeOptions, hello: Hello): void {
  const welcome = options.welcome(hello);
  if (welcome.answer === 'served') serveCalls(socket, options);
  else socket.on('error', () => socket.destroy()).resume();
  socket.write(greetingBytes(welcome));
  if (welcome.answer === 'refused') socket.end();
  else if (welcome.answer === 'leaving') options.leave(); // closes this connection in the end, which signals the client to start another daemon
}

function serveCalls(socket: Socket, { gateway, leave, log }: ServeOptions): void {
  /** Sessions that end with the connection of this client. */
  const attached = new Map<string, Caller>();
  /** Controls that this client has taken for people at the control page. */
  const controls = new Map<string, Methods['session.control']['params']>();

  const serve = async (call: IncomingCall): Promise<unknown> => {
    try {
      return await answer(call);
    } catch (error) {
      if (error instanceof Fault) throw error;
      log(`${call.method} failed: ${stackOf(error)}`);
      throw new Fault('INTERNAL_ERROR', `unexpected ${String(error)} in ${call.method}`, {
        hint: 'this is a bug in pincer; pincer daemon status shows the path of the log, which has details',
      });
    }
  };
  const channel = openChannel(socket, {
    trust: 'same-build',
    side: 'acceptor',
    serve,
    heartbeatMs: HEARTBEAT_MS,
    bounds: { waiting: MOST_WAITING, gathered: MOST_WAITING },
    broken: (_, defect) => {
      if (defect !== undefined) log(`a message of a client failed: ${stackOf(defect)}`);
    },
    lost: (reason) => new Error(reason),
  });
  void channel.ended.then(() => {
    for (const [sessionId, caller] of attached) endAttached(sessionId, caller);
    for (const control of controls.values()) release(control);
  });

  async function answer(call: IncomingCall): Promise<unknown> {
    const { method, signal } = call;
    if (!isMethod(method)) throw unknownMethod(method);
    const params = checkedParams(method, call.params);
    if (method === 'session.follow')
      return gateway.follow(
        params as Methods[typeof method]['params'],
        (event, release) => pass(call, event, release),
        signal,
      );
    if (method === 'notice.follow')
      return gateway.notices(params as Methods[typeof method]['params'], (notice) => call.event(notice), signal);
    if (method === 'audit.follow')
      return gateway.auditEntries(params as Methods[typeof method]['params'], (entry) => call.event(entry), signal);
    const result: unknown = await gateway.call(method, params, signal);
    if (method === 'exec.start') rememberAttached(params as Methods[typeof method]['params'], result as ExecOutcome);
    else if (method === 'session.control')
      rememberControl(params as Methods[typeof method]['params'], result as Methods[typeof method]['result']);
    else if (method === 'session.background') attached.delete((result as Methods[typeof method]['result']).id);
    else if (method === 'daemon.stop' && (result as Methods[typeof method]['result']).stopping) setImmediate(leave); // after the answer
    return result;
  }

  /** A slow reader receives nothing until it has caught up; the log keeps the rest. */
  function pass(call: IncomingCall, event: FollowEvent, release?: () => void): Promise<void> | undefined {
    if (event.type === 'output') call.log(event, release);
    else call.event(event);
    if (event.type !== 'end') return call.room();
    attached.delete(event.session.id);
    return undefined;
  }

  function rememberAttached({ context }: Methods['exec.start']['params'], outcome: ExecOutcome): void {
    if (context.attached !== true || outcome.status !== 'running') return;
    if (socket.destroyed) endAttached(outcome.session.id, context.caller);
    else attached.set(outcome.session.id, context.caller);
  }

  function rememberControl(control: Methods['session.control']['params'], answer: ControlAnswer): void {
    if (!answer.ok) return;
    const key = JSON.stringify([answer.session.id, control.typist]);
    if (!control.take) controls.delete(key);
    else if (socket.destroyed) release(control);
    else controls.set(key, { ...control, sessionId: answer.session.id });
  }

  function release(control: Methods['session.control']['params']): void {
    gateway.call('session.control', { ...control, take: false }).catch((error: unknown) => {
      if (!(error instanceof Fault)) log(`releasing ${control.sessionId} failed: ${stackOf(error)}`);
    }); // a fault means that the session was removed
  }

  function endAttached(sessionId: string, caller: Caller): void {
    gateway.call('session.kill', { caller, sessionId }).catch((error: unknown) => {
      if (!(error instanceof Fault)) log(`ending ${sessionId} failed: ${stackOf(error)}`);
    }); // a fault means that it has already ended
  }
}

function isMethod(name: string): name is Method {
  return Object.hasOwn(METHODS, name);
}

/** Drops members that this daemon does not know; a client of another build may send any. */
function checkedParams<M extends Method>(method: M, params: unknown): Methods[M]['params'] {
  try {
    return check(METHODS[method].params as Schema<Methods[M]['params']>, params, 'params');
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const { place, expected, message } = error;
    throw new Fault('GATEWAY_BAD_REQUEST', `${method}: ${message}`, {
      hint: 'docs/protocol.md lists the parameters; if program and daemon are of different builds, run pincer daemon stop',
      details: { method, place, expected },
      cause: error,
    });
  }
}

function unknownMethod(method: string): Fault {
  return new Fault('GATEWAY_UNKNOWN_METHOD', `the daemon has no method ${JSON.stringify(method)}`, {
    hint: 'program and daemon are of different builds: run pincer daemon stop, then the command again',
  });
}
