/** Where the streams of programs arrive: a socket in a folder of our own, which takes only connections with the token. */
import { timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, Socket, type OnReadOpts, type Server, type SocketConstructorOpts } from 'node:net';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { HEADER_BYTES, readStreamHeader, type StreamName } from './stream-header.ts';

/** The longest path that a socket can have on every system that we know, in bytes. */
const MAX_SOCKET_PATH = 103;
const MAX_LINUX_SOCKET_PATH = 107;

/** How long a connection may take to say who it is. */
const HEADER_MS = 10_000;

/**
 * All streams are read into this one place: a read is over before the next one begins, and what a listener gets is only
 * good during the call.
 */
const READ_BYTES = 128 * 1024;

/** A stream that has arrived. */
export interface Arrival {
  readonly id: number;
  readonly name: StreamName;
  readonly socket: Socket;
}

/** Who takes a stream: gives what its bytes go to, or undefined when nobody waits for it. */
export type Receiver = (arrival: Arrival) => ((bytes: Uint8Array) => boolean) | undefined;

export interface StreamServer {
  readonly path: string;
  /** Resolves when connections are taken. */
  readonly listening: Promise<void>;
  close(): void;
}

/** Makes the folder if it is missing; EXEC_RUNTIME_FOLDER when others could reach into it or its name is too long. */
export function openStreamServer(runtimeDir: string, token: string, receive: Receiver): StreamServer {
  const path = join(runtimeDir, `${token.slice(0, 8)}.s`);
  const limit = process.platform === 'linux' ? MAX_LINUX_SOCKET_PATH : MAX_SOCKET_PATH;
  if (Buffer.byteLength(path) > limit)
    throw new Fault('EXEC_RUNTIME_FOLDER', `the path ${path} is too long for a socket, which takes ${limit} bytes`, {
      hint: 'give a shorter runtime folder',
    });
  mkdirSync(runtimeDir, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(runtimeDir);
  if ((mode & 0o170077) !== 0o040000 || uid !== process.getuid?.())
    throw new Fault('EXEC_RUNTIME_FOLDER', `the folder ${runtimeDir} is not closed to others`, {
      hint: `make it yours alone: chmod 700 ${runtimeDir}`,
    });
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) =>
    greet(socket, buffer, token, receive),
  );
  server.unref();
  const listening = listen(server, path);
  return {
    path,
    listening,
    close() {
      server.close();
      rmSync(path, { force: true });
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new Fault('EXEC_RUNTIME_FOLDER', `no socket can be opened at ${path}`, {
          cause,
          hint: 'see whether the folder can be written',
        }),
      ),
    );
    server.listen({ path, backlog: 1024 }, () => {
      server.on('error', () => {}); // a connection that could not be taken: its session ends as not started
      resolve();
    });
  });
}

/** Reads the header of a connection and hands the rest over. */
function greet(accepted: Socket, buffer: Buffer, token: string, receive: Receiver): void {
  let header = '';
  let deliver: ((bytes: Uint8Array) => boolean) | undefined;
  const timer = setTimeout(() => socket.destroy(), HEADER_MS);
  const take = (bytes: Uint8Array): boolean => {
    if (deliver !== undefined) return deliver(bytes);
    const missing = HEADER_BYTES - header.length;
    header += Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(missing, bytes.length)).toString('latin1');
    if (header.length < HEADER_BYTES) return true;
    clearTimeout(timer);
    const said = readStreamHeader(header);
    if (said !== undefined && timingSafeEqual(Buffer.from(said.token), Buffer.from(token)))
      deliver = receive({ id: said.id, name: said.name, socket });
    if (deliver === undefined) {
      socket.destroy();
      return true;
    }
    return bytes.length > missing ? deliver(bytes.subarray(missing)) : true;
  };
  const socket = withBuffer(accepted, buffer, take);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
}

/**
 * A server cannot be told to read into a place of ours, but a socket can: the connection gets a new one. Where the
 * insides that this needs are not there, bytes come as they come.
 */
function withBuffer(accepted: Socket, buffer: Buffer, take: (bytes: Uint8Array) => boolean): Socket {
  const insides = accepted as Socket & { _handle?: unknown };
  const handle = insides['_handle'];
  if (handle === null || handle === undefined) {
    accepted.on('data', (bytes) => {
      if (!take(bytes)) accepted.pause();
    });
    return accepted;
  }
  insides['_handle'] = null;
  accepted.destroy(); // it has nothing in it any more; the server counts it as gone
  const options: SocketConstructorOpts & { handle: unknown; pauseOnCreate: boolean; onread: OnReadOpts } = {
    handle,
    allowHalfOpen: true,
    pauseOnCreate: true,
    onread: { buffer, callback: (length, bytes) => take(bytes.subarray(0, length)) },
  };
  return new Socket(options);
}
