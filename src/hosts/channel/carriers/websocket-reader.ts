/** Reads the long messages of a WebSocket, and leaves the rest to the package `ws`. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { readInto } from '../../read-into.ts';
import type { Release } from './carrier.ts';
import { type FrameTakers, LongMessages } from './websocket-frames.ts';

/** All connections are read into one buffer: a read is over before the next one begins. */
const READ_BYTES = 64 * 1024;
let shared: Buffer | undefined;

type Write = (chunk: Buffer) => boolean;

export interface WebSocketReaderOptions {
  readonly socket: WebSocket;
  /** The connection below it. */
  readonly stream: Socket;
  /** This end is the server. */
  readonly isServer: boolean;
  readonly message: FrameTakers['message'];
}

export class WebSocketReader implements FrameTakers {
  readonly #stream: Socket;
  readonly #message: FrameTakers['message'];
  readonly #rest: Write;
  readonly #frames: LongMessages;
  #ownBuffer: 'not allowed' | 'not possible' | 'wanted' | 'used' = 'not allowed';

  /** `ws` passes all that arrives to `write` of its receiver. Undefined where it does not. */
  static of(options: WebSocketReaderOptions): WebSocketReader | undefined {
    const { _receiver: receiver } = options.socket as WebSocket & { readonly _receiver?: { write?: Write } };
    if (typeof receiver?.write !== 'function') return undefined;
    const reader = new WebSocketReader(options, receiver.write.bind(receiver));
    receiver.write = (chunk) => reader.#frames.read(chunk);
    return reader;
  }

  private constructor({ stream, isServer, message }: WebSocketReaderOptions, rest: Write) {
    this.#stream = stream;
    this.#message = message;
    this.#rest = rest;
    this.#frames = new LongMessages(isServer, this);
  }

  /**
   * From the next long message on, no memory is allocated for what arrives. The socket has no event `data` any more, by which the
   * bytes of a handshake are counted.
   */
  allowOwnBuffer(): void {
    if (this.#ownBuffer === 'not allowed') this.#ownBuffer = 'wanted';
  }

  message(bytes: Uint8Array, release: Release): void {
    this.#message(bytes, release);
    if (this.#ownBuffer !== 'wanted' || this.#stream.readableLength > 0) return;
    shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
    const { buffer } = shared;
    const isUsed = readInto(this.#stream, shared, (length) => this.#frames.read(Buffer.from(buffer, 0, length)));
    this.#ownBuffer = isUsed ? 'used' : 'not possible';
  }

  rest(bytes: Buffer): boolean {
    return this.#rest(this.#ownBuffer === 'used' ? Buffer.from(bytes) : bytes);
  }
}
