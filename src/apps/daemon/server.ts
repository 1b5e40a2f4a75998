/** The daemon's socket: it serves any `Gateway` to processes of the same user. */
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { Fault } from '../../base/fault.ts';
import { type Build, type Hello, PROTOCOL, type Welcome } from '../../wire/message.ts';
import type { Gateway } from '../../wire/methods.ts';
import { serveClient } from './serve-client.ts';

/** A gateway that the daemon owns. */
export interface OwnGateway extends Gateway {
  /** Ends every session. */
  close(): Promise<void>;
  /** Whether something runs or waits for an answer, so that the daemon has to stay. */
  busy(): boolean;
  /** Whether its end loses a record of changes that can be undone; no other daemon takes its place then. */
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
  /** Takes a socket file that is left over from a dead daemon out of the way: the caller holds the lock of the living one. */
  listen(socket: string): Promise<void>;
  /** Whether the file is still ours: cleaners of temporary folders, and logouts, remove such files. */
  inPlace(): boolean;
  /** No new clients; the file is removed. */
  stopListening(): void;
  /** Ends the connections, too. */
  close(): void;
}

export function gatewayServer(options: ServerOptions): Server {
  const clients = new Set<Socket>();
  let leaving = false;
  let bound: { readonly socket: string; readonly identity: string; close(): void } | undefined;

  const welcome = (hello: Hello): Welcome => {
    // The client that asks is one of the connections.
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
      bound?.close(); // removes the file, too
      bound = undefined;
    },
    close() {
      for (const socket of clients) socket.destroySoon();
    },
  };
}

/** Package managers may give every version's files the same time; then another version is the one that is wanted now. */
function isOlder(ours: Build, theirs: Build): boolean {
  return ours.time < theirs.time || (ours.time === theirs.time && ours.version !== theirs.version);
}

/** A file of another sort, put there by a mistake, is replaced as well: the folder is ours alone. */
function removeLeftover(socket: string): void {
  try {
    unlinkSync(socket);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new Fault('GATEWAY_SOCKET_FOLDER', `${socket} stands in the way of the socket: ${(error as Error).message}`, {
      hint: `remove ${socket}`,
      cause: error,
    });
  }
}

function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}
