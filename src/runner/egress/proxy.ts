/** The proxy that programs inside reach the allowed part of the network through; the gateway decides about each connection. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Order } from '../../hosts/process/runner-messages.ts';
import type { FrameSender } from '../../hosts/channel/sending.ts';
import { ProxyConnection } from './proxy-connection.ts';

export class Proxy {
  /** Resolves when it listens, or cannot. */
  readonly opened: Promise<void>;
  readonly #sender: FrameSender;
  readonly #server: Server;
  readonly #connections = new Map<number, ProxyConnection>();
  #nextId = 1;

  constructor(sender: FrameSender, port: number) {
    this.#sender = sender;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.opened = new Promise((resolve) => {
      this.#server.on('error', () => resolve()); // something else listens there: programs find no way out
      this.#server.listen({ host: '127.0.0.1', port }, () => resolve());
    });
  }

  receive(id: number, bytes: Uint8Array): void {
    this.#connections.get(id)?.receive(bytes);
  }

  grant(id: number, bytes: number): void {
    this.#connections.get(id)?.grant(bytes);
  }

  hear(id: number, order: Extract<Order, { type: string }>): void {
    const connection = this.#connections.get(id);
    if (order.type === 'connected') connection?.connected();
    else if (order.type === 'refused') connection?.refused(order.reason);
    else if (order.type === 'cut') connection?.cut();
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#connections.values()) connection.destroy();
  }

  #accept(socket: Socket): void {
    const connection = new ProxyConnection(socket, this.#sender, {
      // Numbers are given in the order of asking, which the gateway looks at.
      number: () => {
        const id = this.#nextId++;
        this.#connections.set(id, connection);
        return id;
      },
      gone: (id) => this.#connections.delete(id),
    });
  }
}
