/** The streams of one call, in both directions; each flows only as far as its receiver allows. */
import { expectThat } from './breach.ts';
import { NET_WINDOW, STREAM_WINDOW, type StreamKind } from './frames.ts';
import { InputStream } from './input.ts';
import { OutputStream } from './output.ts';
import type { FrameSender } from './sending.ts';

/** A stream to the other end. */
export interface OutgoingStream {
  /** Resolves when all of it was sent, which may wait for the other end; rejects when the call has ended before. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly end: () => void;
}

/** Who hears a stream that comes in. */
export interface StreamListener {
  /** The bytes are only good during the call. False asks for no more until `resume`. */
  readonly deliver: (bytes: Uint8Array) => boolean;
  /** All of it was delivered. */
  readonly ended: () => void;
}

export interface IncomingStream {
  resume(): void;
}

type Send = (write: (sender: FrameSender) => void) => void;

export class CallStreams {
  readonly #id: number;
  readonly #send: Send;
  readonly #outgoing = new Map<StreamKind, InputStream>();
  readonly #incoming = new Map<StreamKind, OutputStream>();
  #isClosed = false;

  constructor(id: number, send: Send) {
    this.#id = id;
    this.#send = send;
  }

  /** Opens a stream to the other end. */
  outgoing(kind: StreamKind): OutgoingStream {
    const write = (bytes?: Uint8Array) => this.#send((sender) => sender.stream(kind, this.#id, bytes));
    const stream = new InputStream(write, () => new Error('the call has ended'), {
      done: 'sent',
      window: windowOf(kind),
    });
    if (this.#isClosed) stream.close();
    this.#outgoing.set(kind, stream);
    return { write: (bytes) => stream.write(bytes), end: () => stream.end(() => write()) };
  }

  /** Opens a stream from the other end; nothing of it may arrive before. */
  incoming(kind: StreamKind, { deliver, ended }: StreamListener): IncomingStream {
    const grant = (bytes: number): void => {
      if (!this.#isClosed) this.#send((sender) => sender.credit(this.#id, kind, bytes));
    };
    const stream = new OutputStream({ deliver, grant, drained: ended }, windowOf(kind));
    this.#incoming.set(kind, stream);
    return stream;
  }

  receive(kind: StreamKind, bytes: Uint8Array): void {
    const stream = this.#incoming.get(kind);
    expectThat(stream !== undefined, `bytes of the stream ${kind}, which is not open`);
    stream.receive(bytes);
  }

  credit(kind: StreamKind, bytes: number): void {
    const stream = this.#outgoing.get(kind);
    expectThat(stream !== undefined, `a credit for the stream ${kind}, which is not open`);
    stream.taken(bytes);
  }

  /** The call has its answer: what has arrived is still delivered, and then the end. */
  end(): void {
    this.close();
    for (const stream of this.#incoming.values()) stream.end();
  }

  /** Nothing is sent any more. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#outgoing.values()) stream.close();
  }
}

function windowOf(kind: StreamKind): number {
  return kind === 'net' ? NET_WINDOW : STREAM_WINDOW;
}
