/** One connection of a program to the proxy. */
import type { Socket } from 'node:net';
import type { CallStreams, OutgoingStream } from '../../hosts/channel/call-streams.ts';
import type { OutgoingCall } from '../../hosts/channel/requests.ts';
import type { ConnectResult } from '../../hosts/process/runner-messages.ts';
import type { ConnectParams } from '../../wire/runner.ts';
import { readProxyRequest, type ConnectRequest } from './proxy-request.ts';

export interface ProxyConnectionOptions {
  /** Asks the gateway to connect; resolves with a ConnectResult when the connection is over. */
  ask(params: ConnectParams, options: OutgoingCall): Promise<unknown>;
  gone(): void;
}

type State = 'reading' | 'asking' | 'open' | 'refused';

const REQUEST_MS = 30_000;

export class ProxyConnection {
  readonly #socket: Socket;
  readonly #options: ProxyConnectionOptions;
  readonly #cancel = new AbortController();
  #state: State = 'reading';
  #received = Buffer.alloc(0);
  #isSocks = false;
  #outgoing: OutgoingStream | undefined;
  #hereEnded = false;
  #thereEnded = false;

  constructor(socket: Socket, options: ProxyConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.setTimeout(REQUEST_MS, () => {
      if (this.#state === 'reading') socket.destroy();
    });
    socket.on('data', (bytes) => (this.#state === 'open' ? this.#send(bytes) : this.#readRequest(bytes)));
    socket.once('end', () => this.#ended());
    socket.on('error', () => socket.destroy()); // `close` follows
    socket.once('close', () => this.#closed());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #readRequest(bytes: Buffer): void {
    if (this.#state !== 'reading') return;
    this.#received = Buffer.concat([this.#received, bytes]);
    const read = readProxyRequest(this.#received, this.#isSocks);
    if (read.kind === 'wrong') {
      this.#state = 'refused';
      this.#socket.end(read.answer, 'latin1');
    } else if (read.kind === 'connect') this.#ask(read);
    else if (read.answer !== undefined) {
      this.#isSocks = true;
      this.#socket.write(read.answer, 'latin1');
      const rest = this.#received.subarray(read.used ?? 0);
      this.#received = Buffer.alloc(0);
      if (rest.length > 0) this.#readRequest(rest);
    }
  }

  #ask(request: ConnectRequest): void {
    this.#received = Buffer.alloc(0);
    this.#state = 'asking';
    this.#socket.pause();
    this.#socket.setTimeout(0);
    const { host, port } = request;
    if (host === '' || host.length > 255 || port < 1 || port > 0xffff) {
      this.#refused(request, 'not-a-name');
      return;
    }
    this.#options
      .ask(
        { host, port },
        {
          signal: this.#cancel.signal,
          streams: (streams) => this.#openStreams(streams),
          event: () => this.#connected(request),
        },
      )
      .then(
        (result) => this.#over(request, result as ConnectResult),
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

  #connected({ welcome, first }: ConnectRequest): void {
    this.#state = 'open';
    if (welcome !== '') this.#socket.write(welcome, 'latin1');
    if (first.length > 0) this.#send(first);
    if (this.#hereEnded) this.#outgoing?.end();
    this.#socket.resume();
  }

  #over(request: ConnectRequest, result: ConnectResult): void {
    if (result.end === 'refused') this.#refused(request, result.reason);
    else if (result.end === 'cut') this.#socket.destroy();
    // `closed`: what has arrived is still written to the program, and then the end.
  }

  #refused({ refusal }: ConnectRequest, reason: string): void {
    this.#state = 'refused';
    this.#socket.end(refusal(reason), 'latin1');
    this.#socket.resume();
  }

  #send(bytes: Buffer): void {
    if (this.#outgoing?.push(bytes) === false) this.#socket.pause();
  }

  #ended(): void {
    this.#hereEnded = true;
    if (this.#state === 'reading') this.#socket.end();
    if (this.#state === 'open') this.#outgoing?.end();
  }

  /** If the program closed before both sides had ended, the gateway has to close the other side. */
  #closed(): void {
    if (!this.#hereEnded || !this.#thereEnded) this.#cancel.abort();
    this.#options.gone();
  }
}
