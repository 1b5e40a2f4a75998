/** The proxy through which programs inside reach the allowed part of the network. The gateway decides about each connection. */
import { createServer, type Server } from 'node:net';
import type { Channel } from '../../hosts/channel/channel.ts';
import type { Welcome } from '../../hosts/process/runner-messages.ts';
import { ProxyConnection } from './proxy-connection.ts';

export class Proxy {
  /** Resolves when it listens, and when it cannot. */
  readonly opened: Promise<void>;
  readonly #server: Server;
  readonly #connections = new Set<ProxyConnection>();
  /** Calls that the gateway has not answered. */
  #asked = 0;

  constructor(channel: Channel, { port, mostConnections }: NonNullable<Welcome['proxy']>) {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      const connection = new ProxyConnection(socket, {
        // More calls are a protocol violation.
        ask: async (params, options) => {
          if (this.#asked >= mostConnections) return { end: 'refused', reason: 'too-many' };
          this.#asked++;
          return channel.call('net.connect', params, options).finally(() => this.#asked--);
        },
        gone: () => this.#connections.delete(connection),
      });
      this.#connections.add(connection);
    });
    this.opened = new Promise((resolve) => {
      this.#server.on('error', () => resolve()); // the port is in use: programs have no network
      this.#server.listen({ host: '127.0.0.1', port }, () => resolve());
    });
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }
}
