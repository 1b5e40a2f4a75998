/** One connection of a program to the proxy. */
import type { Socket } from 'node:net';
import type { CallStreams, OutgoingStream } from '../../hosts/channel/call-streams.ts';
import type { OutgoingCall } from '../../hosts/channel/requests.ts';
import type { ConnectResult } from '../../hosts/process/runner-messages.ts';
import type { ConnectParams } from '../../wire/runner.ts';
import { readGreeting, type Wish } from './greeting.ts';

export interface ProxyConnectionOptions {
  /** Asks the gateway to connect; resolves with a ConnectResult when the connection is over. */
  ask(params: ConnectParams, options: OutgoingCall): Promise<unknown>;
  gone(): void;
}

type State = 'greeting' | 'asking' | 'open' | 'over';

const GREETING_MS = 30_000;

export class ProxyConnection {
  readonly #socket: Socket;
  readonly #options: ProxyConnectionOptions;
  readonly #cancel = new AbortController();
  #state: State = 'greeting';
  #said = Buffer.alloc(0);
  #isSocks = false;
  #outgoing: OutgoingStream | undefined;
  #hereEnded = false;
  #thereEnded = false;

  constructor(socket: Socket, options: ProxyConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.setTimeout(GREETING_MS, () => {
      if (this.#state === 'greeting') socket.destroy();
    });
    socket.on('data', (bytes) => (this.#state === 'open' ? this.#send(bytes) : this.#greet(bytes)));
    socket.once('end', () => this.#ended());
    socket.on('error', () => socket.destroy()); // `close` follows
    socket.once('close', () => this.#closed());
  }

  destroy(): void {
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
    this.#said = Buffer.alloc(0);
    this.#state = 'asking';
    this.#socket.pause();
    this.#socket.setTimeout(0);
    const { host, port } = wish;
    if (host === '' || host.length > 255 || port < 1 || port > 0xffff) {
      this.#refused(wish, 'not-a-name');
      return;
    }
    this.#options
      .ask(
        { host, port },
        {
          signal: this.#cancel.signal,
          streams: (streams) => this.#openStreams(streams),
          event: () => this.#connected(wish),
        },
      )
      .then(
        (result) => this.#over(wish, result as ConnectResult),
        () => this.#socket.destroy(), // the gateway is gone
      );
  }

  #openStreams(streams: CallStreams): void {
    const socket = this.#socket;
    this.#outgoing = streams.outgoing('net', {
      onRoom: () => {
        if (this.#state === 'open') socket.resume();
      },
    });
    const incoming = streams.incoming('net', {
      deliver(bytes) {
        socket.write(new Uint8Array(bytes), () => incoming.resume());
        return false;
      },
      ended: () => {
        if (this.#state !== 'open') return;
        this.#thereEnded = true;
        socket.end();
      },
    });
  }

  #connected({ welcome, first }: Wish): void {
    this.#state = 'open';
    if (welcome !== '') this.#socket.write(welcome, 'latin1');
    if (first.length > 0) this.#send(first);
    if (this.#hereEnded) this.#outgoing?.end();
    this.#socket.resume();
  }

  #over(wish: Wish, result: ConnectResult): void {
    if (result.end === 'refused') this.#refused(wish, result.reason);
    else if (result.end === 'cut') this.#socket.destroy();
    this.#state = 'over';
  }

  #refused({ refusal }: Wish, reason: string): void {
    this.#state = 'over';
    this.#socket.end(refusal(reason), 'latin1');
    this.#socket.resume();
  }

  #send(bytes: Buffer): void {
    if (this.#outgoing?.push(bytes) === false) this.#socket.pause();
  }

  #ended(): void {
    this.#hereEnded = true;
    if (this.#state === 'greeting') this.#socket.end();
    if (this.#state === 'open') this.#outgoing?.end();
  }

  /** The program has closed its side before both had ended, so the gateway closes the other one. */
  #closed(): void {
    if (!this.#hereEnded || !this.#thereEnded) this.#cancel.abort();
    this.#options.gone();
  }
}
