/**
 * Starts all programs of this machine. Node's spawn copies the page tables of the process that asks, which takes the
 * longer the more memory it has; this one has little.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { FrameSender } from '../hosts/channel/sending.ts';
import { PROTOCOL, type Welcome } from '../hosts/sandbox/link/messages.ts';
import { Commands } from './commands.ts';
import { directPlumbing } from './direct.ts';
import { createGroups } from './groups.ts';
import { LAST_GRACE_MS } from './killing.ts';
import { readOrders } from './orders.ts';
import { PipeShelf } from './pipes.ts';
import type { Channel, Role } from './role.ts';
import { Terminals } from './terminals.ts';

interface Serving {
  readonly socket: string;
  readonly graceMs: number;
  readonly pipes: PipeShelf;
  readonly commands: Commands;
}

export class SpawnRole implements Role {
  readonly #sender: FrameSender;
  #serving: Serving | undefined;

  constructor({ input, output }: Channel) {
    this.#sender = new FrameSender(output);
    readOrders(
      input,
      (id, order) => {
        if (order.type === 'welcome') this.#serving = this.#serve(order);
        else this.#serving?.commands.obey(id, order);
      },
      (kind, id, payload) => this.#serving?.commands.receive(kind, id, payload),
    );
    this.#sender.message(0, { type: 'hello', protocol: PROTOCOL });
  }

  async end(): Promise<void> {
    if (this.#serving === undefined) return;
    const { socket, graceMs, commands, pipes } = this.#serving;
    await commands.end(Math.min(graceMs, LAST_GRACE_MS));
    await pipes.close();
    rmSync(socket, { force: true });
  }

  #serve(welcome: Welcome): Serving {
    const { owner, graceMs, streams } = welcome;
    if (streams === undefined) throw new Error('the daemon did not say where streams are to be connected');
    const sender = this.#sender;
    const pipes = new PipeShelf([dirname(streams.socket)], 'for-pipelines');
    const commands = new Commands({
      owner,
      plumbing: directPlumbing(streams),
      pipes,
      report: (id, news) => sender.message(id, news),
      terminals: new Terminals(sender, welcome),
      groups: createGroups(owner, true),
    });
    return { socket: streams.socket, graceMs, pipes, commands };
  }
}
