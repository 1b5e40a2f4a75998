/** A process of the agent that holds one terminal, and leaves when its command has ended. */
import { tmpdir } from 'node:os';
import type { Writable } from 'node:stream';
import { type FrameKind, FrameReader, readCredit } from '../hosts/channel/frames.ts';
import type { Order } from '../hosts/sandbox/link/messages.ts';
import { FrameSender } from '../hosts/channel/sending.ts';
import { Commands } from './commands.ts';
import type { Channel, Role } from './role.ts';
import { PipeShelf } from './named-pipes.ts';

export class TerminalProcess implements Role {
  readonly #sender: FrameSender;
  readonly #output: Writable;
  readonly #leave: () => void;
  #pipes: PipeShelf | undefined;
  #commands: Commands | undefined;

  constructor({ input, output, leave }: Channel) {
    this.#sender = new FrameSender(output);
    this.#output = output;
    this.#leave = leave;
    const reader = new FrameReader();
    input.on('data', (bytes: Buffer) => reader.read(bytes, (kind, id, payload) => this.#take(kind, id, payload)));
  }

  async end(): Promise<void> {
    await this.#commands?.endAll(0);
    await this.#pipes?.close();
  }

  #take(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind === 'message') this.#obey(id, JSON.parse(Buffer.from(payload).toString('utf8')) as Order);
    else if (kind === 'in') {
      const bytes = new Uint8Array(payload);
      this.#commands?.with(id, (handle) => handle.input(bytes));
    } else if (kind === 'credit') {
      const { stream, bytes } = readCredit(payload);
      if (stream === 'out' || stream === 'err') this.#commands?.with(id, (handle) => handle.grant(stream, bytes));
    }
  }

  #obey(id: number, order: Order): void {
    if (order.type === 'welcome') {
      this.#pipes = new PipeShelf([order.places.scratch, tmpdir()]);
      const done = (): void => {
        this.#output.end(this.#leave); // when all that it said is on its way
      };
      this.#commands = new Commands(this.#sender, order, this.#pipes, done);
    } else if (order.type === 'launch') this.#commands?.launch(id, order.launch);
    else if (order.type === 'resize') this.#commands?.with(id, (handle) => handle.resize(order.size));
    else if (order.type === 'endInput') this.#commands?.with(id, (handle) => handle.endInput());
    else if (order.type === 'interrupt') this.#commands?.interrupt(id);
  }
}
