/** A process that holds one terminal, and leaves when its command has ended. */
import { dirname } from 'node:path';
import { tmpdir } from 'node:os';
import { FrameSender } from '../hosts/channel/sending.ts';
import type { Welcome } from '../hosts/sandbox/link/messages.ts';
import { Commands } from './commands.ts';
import { directPlumbing } from './direct.ts';
import { createGroups } from './groups.ts';
import { LAST_GRACE_MS } from './killing.ts';
import { COMMANDS_OOM_PRIORITY } from './oom.ts';
import { readOrders } from './orders.ts';
import { PipeShelf } from './pipes.ts';
import { relayedPlumbing } from './relayed.ts';
import type { Channel, Role } from './role.ts';

export class TerminalProcess implements Role {
  readonly #channel: Channel;
  #commands: Commands | undefined;
  #pipes: PipeShelf | undefined;
  #graceMs = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    readOrders(
      channel.input,
      (id, order) => {
        if (order.type === 'welcome') this.#serve(order);
        else this.#commands?.obey(id, order);
      },
      (kind, id, payload) => this.#commands?.receive(kind, id, payload),
    );
  }

  async end(): Promise<void> {
    await this.#commands?.end(Math.min(this.#graceMs, LAST_GRACE_MS));
    await this.#pipes?.close();
  }

  #serve({ owner, graceMs, streams, places }: Welcome): void {
    const { output, leave } = this.#channel;
    const sender = new FrameSender(output);
    const folder = streams === undefined ? places?.scratch : dirname(streams.socket);
    const pipes = new PipeShelf([...(folder === undefined ? [] : [folder]), tmpdir()], 'for-pipelines');
    const isDirect = streams !== undefined;
    this.#graceMs = graceMs;
    this.#pipes = pipes;
    this.#commands = new Commands({
      owner,
      pipes,
      plumbing: isDirect ? directPlumbing(streams) : relayedPlumbing(sender, pipes),
      report: (id, news) => sender.message(id, news),
      ...(isDirect ? { groups: createGroups(owner, false) } : { oomPriority: COMMANDS_OOM_PRIORITY }),
      gone: () => output.end(leave), // when all that it said is on its way
    });
  }
}
