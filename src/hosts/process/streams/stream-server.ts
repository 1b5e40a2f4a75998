/** Accepts the streams of programs at a socket in a private folder. Every connection must send the token. */
import { timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { readInto } from '../../read-into.ts';
import type { StreamName } from './stage-streams.ts';
import { HEADER_BYTES, readStreamHeader } from './stream-header.ts';

/** The longest path of a socket in bytes that all supported systems accept. */
const MAX_SOCKET_PATH = 103;
const MAX_LINUX_SOCKET_PATH = 107;

/** How long a connection may take to send its header. */
const HEADER_MS = 10_000;

/** All streams are read into one buffer: a read is over before the next one begins, and listeners do not keep the bytes. */
const READ_BYTES = 128 * 1024;

/** A stream that has arrived. */
export interface Arrival {
  readonly id: number;
  readonly name: StreamName;
  readonly socket: Socket;
}

/** Returns the listener of a stream; undefined when the stream is not expected. */
export type Receiver = (arrival: Arrival) => ((bytes: Uint8Array) => boolean) | undefined;

export interface StreamServer {
  readonly path: string;
  /** Resolves when connections are taken. */
  readonly listening: Promise<void>;
  close(): void;
}

/** Creates the folder if it is missing. EXEC_RUNTIME_FOLDER: others can access it, or its path is too long. */
export function openStreamServer(runtimeDir: string, token: string, receive: Receiver): StreamServer {
  const path = join(runtimeDir, `${token.slice(0, 8)}.s`);
  const limit = process.platform === 'linux' ? MAX_LINUX_SOCKET_PATH : MAX_SOCKET_PATH;
  if (Buffer.byteLength(path) > limit)
    throw new Fault('EXEC_RUNTIME_FOLDER', `the path ${path} is too long for a socket (at most ${limit} bytes)`, {
      hint: 'use a shorter runtime folder',
    });
  mkdirSync(runtimeDir, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(runtimeDir);
  if ((mode & 0o170077) !== 0o040000 || uid !== process.getuid?.())
    throw new Fault('EXEC_RUNTIME_FOLDER', `the folder ${runtimeDir} is accessible to other users`, {
      hint: `make it private: chmod 700 ${runtimeDir}`,
    });
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) =>
    readHeader(socket, buffer, token, receive),
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
        new Fault('EXEC_RUNTIME_FOLDER', `cannot open a socket at ${path}`, {
          cause,
          hint: 'check that the folder is writable',
        }),
      ),
    );
    server.listen({ path, backlog: 1024 }, () => {
      server.on('error', () => {}); // a connection that could not be accepted: its session fails to start
      resolve();
    });
  });
}

/** Reads the header of a connection, and passes the rest to its receiver. */
function readHeader(socket: Socket, buffer: Buffer, token: string, receive: Receiver): void {
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
  if (!readInto(socket, buffer, (length) => take(buffer.subarray(0, length))))
    socket.on('data', (bytes) => {
      if (!take(bytes)) socket.pause();
    });
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
}
