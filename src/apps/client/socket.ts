/** A `Gateway` over the socket of the daemon. */
import type { Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { openChannel } from '../../hosts/channel/channel.ts';
import type { OutgoingCall } from '../../hosts/channel/requests.ts';
import type { AuditEntry } from '../../wire/approval.ts';
import type { Hello, Welcome } from '../../wire/message.ts';
import type { Notice } from '../../wire/notice.ts';
import type { Gateway, Method, Methods } from '../../wire/methods.ts';
import type { FollowEvent, FollowListener, SessionInfo } from '../../wire/session.ts';
import { greetingBytes, readGreeting } from '../daemon/greeting.ts';
import { SILENCE_MS, unresponsive, watchSilence } from './silence.ts';

/** A connection after the greeting. */
export interface Client extends Gateway {
  readonly daemon: Welcome;
  /** False when the connection has ended. */
  readonly isOpen: boolean;
  /** Resolves when either side has ended the connection; keeps the process alive until then. */
  closed(): Promise<void>;
  /** Ends the connection; pending requests are lost. */
  close(): void;
}

export interface GreetOptions {
  /** The expected daemon, for the fault if it does not answer. */
  readonly pid?: number;
  /** Longest silence of the daemon while a request waits. Default: 10,000. */
  readonly silenceMs?: number;
}

/**
 * Exchanges greetings over a connecting socket. Rejects with the system error if no process listens, and with
 * GATEWAY_UNRESPONSIVE if the daemon does not answer.
 */
export async function greet(socket: Socket, hello: Hello, options: GreetOptions = {}): Promise<Client> {
  const { silenceMs = SILENCE_MS } = options;
  let { pid } = options;
  let silent: Fault | undefined;
  let open = 0;
  const silence = watchSilence(silenceMs, () => {
    silent = unresponsive(pid, silenceMs);
    socket.destroy();
  });
  /** No request waits: the process may exit, and the daemon may be silent. */
  const release = (): void => {
    silence.stop();
    socket.unref();
  };
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  silence.start(); // for the greeting
  socket.write(greetingBytes(hello));
  const daemon = (await readGreeting(socket)
    .catch((error: unknown) => {
      socket.on('error', () => {}); // it has failed already
      socket.destroy();
      throw error;
    })
    .finally(release)) as Welcome | undefined;
  if (daemon === undefined) throw silent ?? lost(undefined);
  pid = daemon.pid;
  const channel = openChannel(socket, {
    trust: 'same-build',
    side: 'opener',
    lost: (_, cause) => silent ?? lost(cause),
  });
  socket.on('data', () => silence.received());

  const ask = async (method: Method, params: object, options: OutgoingCall): Promise<unknown> => {
    if (open++ === 0) {
      socket.ref();
      if (daemon.heartbeat === true) silence.start();
    }
    try {
      return await channel.call(method, params, options);
    } catch (error) {
      throw withBuild(error, hello, daemon);
    } finally {
      if (--open === 0) release();
    }
  };
  return {
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
      ask(method, params, { signal }) as Promise<Methods[M]['result']>,
    follow: async (params, listener, signal) => {
      const events = serialEvents(listener);
      const session = await ask('session.follow', params, {
        signal,
        event: (event) => events.push(event as FollowEvent),
        // A socket does not reuse its buffers, so the listener may keep the bytes.
        log: (bytes) => events.push({ type: 'output', ...bytes }),
      });
      await events.drained();
      return session as SessionInfo;
    },
    notices: async (params, listener, signal) => {
      await ask('notice.follow', params, { signal, event: (notice) => listener(notice as Notice) });
    },
    auditEntries: async (params, listener, signal) => {
      await ask('audit.follow', params, { signal, event: (entry) => listener(entry as AuditEntry) });
    },
  };
}

interface SerialEvents {
  push(event: FollowEvent): void;
  /** Resolves when the listener has processed all events; rejects with its error. */
  drained(): Promise<void>;
}

/** Calls a listener with one event at a time. Events queue while a promise of the listener is pending. */
function serialEvents(listener: FollowListener): SerialEvents {
  let last: Promise<void> | undefined;
  return {
    push(event) {
      if (last !== undefined) last = last.then(() => listener(event));
      else last = listener(event) ?? undefined;
      last?.catch(() => undefined); // `drained` rejects with it
    },
    drained: async () => last,
  };
}

function lost(cause: Error | undefined): Fault {
  return new Fault('GATEWAY_LOST', 'the daemon closed the connection before it answered', {
    hint: 'pincer ps lists sessions; pincer daemon status shows the path of the log',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A daemon with sessions keeps running when the program is replaced, and may lack methods of the new build. */
function withBuild(error: unknown, own: Hello, { pid, version, time }: Welcome): unknown {
  if (!(error instanceof Fault) || error.code !== 'GATEWAY_UNKNOWN_METHOD') return error;
  const age = time < own.time ? 'an older' : 'another';
  return new Fault(error.code, `${error.message}: it runs ${age} build (version ${version}, pid ${pid})`, {
    hint: 'pincer daemon stop --force ends it and its sessions; the next command starts this build',
  });
}
