/** The server on the daemon's socket: it serves a `Gateway` to processes of the same user. */
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { type Build, type Hello, PROTOCOL, type Welcome } from '../../wire/message.ts';
import type { Gateway } from '../../wire/methods.ts';
import { serveClient } from './serve-client.ts';

export interface OwnGateway extends Gateway {
  /** Ends every session. */
  close(): Promise<void>;
  /** Whether a session runs or an approval is pending, so that the daemon must not exit. */
  busy(): boolean;
  /** Whether a stop would lose a record of changes that can be undone; then no other daemon replaces it. */
  hasRecord(): boolean;
}

export interface ServerOptions {
  readonly gateway: Gateway & Pick<OwnGateway, 'busy' | 'hasRecord'>;
  readonly build: Build;
  readonly leave: () => void;
  readonly log: (text: string) => void;
}

export interface Server {
  readonly connections: number;
  /** Removes the socket file of a dead daemon: the caller has the daemon lock. */
  listen(socket: string): Promise<void>;
  /** Whether the socket file is still this server's: cleaners of temporary folders and logouts remove such files. */
  inPlace(): boolean;
  /** Accepts no new clients and removes the socket file. */
  stopListening(): void;
  /** Closes the connections. */
  close(): void;
}

export function gatewayServer(options: ServerOptions): Server {
  const clients = new Set<Socket>();
  let leaving = false;
  let bound: { readonly socket: string; readonly identity: string; close(): void } | undefined;

  const welcome = (hello: Hello): Welcome => {
    // `clients` includes the client that asks.
    const { gateway } = options;
    const idle = !gateway.busy() && !gateway.hasRecord() && clients.size === 1;
    const fits = hello.protocol === PROTOCOL;
    const older = isOlder(options.build, hello);
    const answer = leaving || (idle && (older || !fits)) ? 'leaving' : fits ? 'served' : 'refused';
    return { ...options.build, protocol: PROTOCOL, pid: process.pid, answer, heartbeat: true };
  };
  const leave = (): void => {
    leaving = true;
    options.leave();
  };
  const serve = (socket: Socket): void => {
    clients.add(socket);
    socket.on('close', () => clients.delete(socket));
    serveClient(socket, { gateway: options.gateway, welcome, leave, log: options.log });
  };

  return {
    get connections() {
      return clients.size;
    },
    async listen(socket) {
      bound?.close();
      removeLeftover(socket);
      const server = createServer(serve);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(socket, resolve);
      });
      server.on('error', (error) => options.log(`the socket failed: ${error.message}`));
      chmodSync(socket, 0o600);
      bound = { socket, identity: identityOf(socket) ?? '', close: () => server.close() };
    },
    inPlace: () => bound !== undefined && identityOf(bound.socket) === bound.identity,
    stopListening() {
      leaving = true;
      bound?.close(); // also removes the file
      bound = undefined;
    },
    close() {
      for (const socket of clients) socket.destroySoon();
    },
  };
}

/** Package managers may set the same time on the files of all versions; then a different version counts as newer. */
function isOlder(ours: Build, theirs: Build): boolean {
  return ours.time < theirs.time || (ours.time === theirs.time && ours.version !== theirs.version);
}

/** Removes any other file as well: only this user can write to the folder. */
function removeLeftover(socket: string): void {
  try {
    unlinkSync(socket);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new Fault('GATEWAY_SOCKET_FOLDER', `cannot replace ${socket} with the socket: ${(error as Error).message}`, {
      hint: `remove ${socket}`,
      cause: error,
    });
  }
}

function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}
