/**
 * Starts all programs of this machine. Node's spawn copies the page tables of the process that asks, which takes the
 * longer the more memory it has; this one has little.
 */
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { lineReader, type Order, type Report } from '../hosts/process/protocol.ts';
import { createEngine, type Engine } from './engine.ts';
import type { Channel, Role } from './role.ts';

export class SpawnRole implements Role {
  readonly #engine: Engine;
  #socket: string | undefined;

  constructor({ input, output }: Channel) {
    this.#engine = createEngine((report: Report) => {
      if (!output.destroyed) output.write(`${JSON.stringify(report)}\n`);
    }, process.argv[1]);
    const read = lineReader((value) => {
      const order = value as Order;
      if (order.type === 'hello' && order.single !== true) this.#socket = order.socket;
      this.#engine.obey(order);
    });
    (input as Socket).setEncoding('utf8').on('data', (text) => read(String(text)));
  }

  async end(): Promise<void> {
    await this.#engine.end();
    if (this.#socket !== undefined) rmSync(this.#socket, { force: true });
  }
}
