/** The daemon seen through its socket, as a `Gateway`. */
import type { Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { openChannel } from '../../hosts/channel/channel.ts';
import type { OutgoingCall } from '../../hosts/channel/requests.ts';
import type { Hello, Welcome } from '../../wire/message.ts';
import type { Notice } from '../../wire/notice.ts';
import type { Gateway, Method, Methods } from '../../wire/methods.ts';
import type { FollowEvent, SessionInfo } from '../../wire/session.ts';
import { greetingBytes, readGreeting } from '../daemon/greeting.ts';
import { SILENCE_MS, unresponsive, watchSilence } from './silence.ts';
import { inTurns } from './turns.ts';

/** A connection that has been greeted. */
export interface Client extends Gateway {
  readonly daemon: Welcome;
  /** False when the connection has ended: nothing more can be asked. */
  readonly isOpen: boolean;
  /** Resolves when the connection has ended, whichever end did it; the process stays up for that. */
  closed(): Promise<void>;
  /** Ends it; requests that still wait for their answers are lost. */
  close(): void;
}

export interface GreetOptions {
  /** The process that should answer, for the message about one that does not. */
  readonly pid?: number;
  /** How long the daemon may be silent while a request waits. Default: 10,000. */
  readonly silenceMs?: number;
}

/**
 * Greets over a socket that is being connected. Rejects with the error of the system when nothing listens, and with
 * GATEWAY_UNRESPONSIVE when the daemon does not answer.
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
  /** Nothing waits: the process may end, and the daemon owes no answer. */
  const rest = (): void => {
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
    .finally(rest)) as Welcome | undefined;
  if (daemon === undefined) throw silent ?? lost(undefined);
  pid = daemon.pid;
  const channel = openChannel(socket, {
    trust: 'same-build',
    side: 'opener',
    lost: (_, cause) => silent ?? lost(cause),
  });
  socket.on('data', () => silence.heard());

  const ask = async (method: Method, params: object, options: OutgoingCall): Promise<unknown> => {
    if (open++ === 0) {
      socket.ref();
      if (daemon.heartbeat === true) silence.start();
    }
    try {
      return await channel.call(method, params, options);
    } catch (error) {
      throw ofOtherBuild(error, hello, daemon);
    } finally {
      if (--open === 0) rest();
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
      const turns = inTurns(listener);
      const session = await ask('session.follow', params, {
        signal,
        event: (event) => turns.hear(event as FollowEvent),
        // A socket uses no buffer again, so the bytes may be kept.
        log: (bytes) => turns.hear({ type: 'output', ...bytes }),
      });
      await turns.heard();
      return session as SessionInfo;
    },
    notices: async (params, listener, signal) => {
      await ask('notice.follow', params, { signal, event: (notice) => listener(notice as Notice) });
    },
  };
}

function lost(cause: Error | undefined): Fault {
  return new Fault('GATEWAY_LOST', 'the daemon ended the connection before it answered', {
    hint: 'pincer ps shows what runs; pincer daemon status names the log',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A daemon that runs sessions stays when the program is replaced, and may lack what the new one asks for. */
function ofOtherBuild(error: unknown, own: Hello, { pid, version, time }: Welcome): unknown {
  if (!(error instanceof Fault) || error.code !== 'GATEWAY_UNKNOWN_METHOD') return error;
  const age = time < own.time ? 'an older' : 'another';
  return new Fault(error.code, `${error.message}: it is of ${age} build (version ${version}, pid ${pid})`, {
    hint: 'pincer daemon stop --force ends it, and its sessions; the next command starts one of this build',
  });
}
