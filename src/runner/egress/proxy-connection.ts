/** One connection of a program to the proxy. */
import type { Socket } from 'node:net';
import { LONGEST_PART, NET_WINDOW } from '../../hosts/channel/frames.ts';
import type { FrameSender } from '../../hosts/channel/sending.ts';
import { readGreeting, type Wish } from './greeting.ts';

export interface ProxyConnectionEvents {
  /** A number for what is asked of the gateway. */
  number(): number;
  gone(id: number): void;
}

type State = 'greeting' | 'asking' | 'open' | 'over';

const GREETING_MS = 30_000;

export class ProxyConnection {
  readonly #socket: Socket;
  readonly #sender: FrameSender;
  readonly #events: ProxyConnectionEvents;
  #state: State = 'greeting';
  #said = Buffer.alloc(0);
  #isSocks = false;
  #wish: Wish | undefined;
  #id = 0;
  #room = NET_WINDOW;
  #hereEnded = false;
  #thereEnded = false;

  constructor(socket: Socket, sender: FrameSender, events: ProxyConnectionEvents) {
    this.#socket = socket;
    this.#sender = sender;
    this.#events = events;
    socket.setTimeout(GREETING_MS, () => {
      if (this.#state === 'greeting') socket.destroy();
    });
    socket.on('data', (bytes) => (this.#state === 'open' ? this.#send(bytes) : this.#greet(bytes)));
    socket.once('end', () => this.#ended());
    socket.on('error', () => socket.destroy()); // `close` follows
    socket.once('close', () => this.#closed());
  }

  connected(): void {
    if (this.#state !== 'asking' || this.#wish === undefined) return;
    const { welcome, first } = this.#wish;
    this.#state = 'open';
    if (this.#socket.destroyed) {
      this.#giveUp();
      return;
    }
    if (welcome !== '') this.#socket.write(welcome, 'latin1');
    if (first.length > 0) this.#send(first);
    if (this.#hereEnded) this.#sender.stream('net', this.#id);
    this.#socket.resume();
  }

  refused(reason: string): void {
    if (this.#state !== 'asking') return;
    this.#leave();
    this.#socket.end(this.#wish?.refusal(reason) ?? '', 'latin1');
    this.#socket.resume();
  }

  /** Bytes from outside; none for their end. */
  receive(bytes: Uint8Array): void {
    if (this.#state !== 'open') return;
    if (bytes.length === 0) {
      this.#thereEnded = true;
      this.#socket.end();
      this.#leaveWhenDone();
      return;
    }
    const { length } = bytes;
    this.#socket.write(new Uint8Array(bytes), () => {
      if (this.#state === 'open' && !this.#thereEnded) this.#sender.credit(this.#id, 'net', length);
    });
  }

  grant(bytes: number): void {
    this.#room += bytes;
    if (this.#room >= LONGEST_PART && this.#state === 'open') this.#socket.resume();
  }

  /** The gateway says that it is over. */
  cut(): void {
    if (this.#state === 'open') this.#sender.message(this.#id, { type: 'cut' });
    this.#leave();
    this.#socket.destroy();
  }

  destroy(): void {
    this.#state = 'over';
    this.#socket.destroy();
  }

  #greet(bytes: Buffer): void {
    if (this.#state !== 'greeting') return;
    this.#said = Buffer.concat([this.#said, bytes]);
    const greeting = readGreeting(this.#said, this.#isSocks);
    if (greeting.kind === 'wrong') {
      this.#state = 'over';
      this.#socket.end(greeting.answer, 'latin1');
    } else if (greeting.kind === 'wish') this.#ask(greeting);
    else if (greeting.answer !== undefined) {
      this.#isSocks = true;
      this.#socket.write(greeting.answer, 'latin1');
      const rest = this.#said.subarray(greeting.used ?? 0);
      this.#said = Buffer.alloc(0);
      if (rest.length > 0) this.#greet(rest);
    }
  }

  #ask(wish: Wish): void {
    this.#wish = wish;
    this.#said = Buffer.alloc(0);
    this.#state = 'asking';
    this.#socket.pause();
    this.#socket.setTimeout(0);
    this.#id = this.#events.number();
    const { host, port } = wish;
    if (host === '' || host.length > 255 || port < 1 || port > 0xffff) {
      this.refused('not-a-name');
      return;
    }
    this.#sender.message(this.#id, { type: 'connect', host, port });
  }

  #send(bytes: Buffer): void {
    this.#room -= bytes.length;
    this.#sender.stream('net', this.#id, bytes);
    if (this.#room < LONGEST_PART) this.#socket.pause();
  }

  #ended(): void {
    this.#hereEnded = true;
    if (this.#state === 'greeting') this.#socket.end();
    if (this.#state !== 'open') return;
    this.#sender.stream('net', this.#id);
    this.#leaveWhenDone();
  }

  #closed(): void {
    if (this.#state === 'open') this.#giveUp();
  }

  #giveUp(): void {
    this.#sender.message(this.#id, { type: 'cut' });
    this.#leave();
  }

  #leaveWhenDone(): void {
    if (this.#hereEnded && this.#thereEnded) this.#leave();
  }

  #leave(): void {
    this.#state = 'over';
    this.#events.gone(this.#id);
  }
}
