/** The streams of one call, in both directions, with credit-based flow control. */
import { expectThat } from './protocol-violation.ts';
import { NET_WINDOW, STREAM_WINDOW, type StreamKind } from './frames.ts';
import { type SendOptions, SendStream } from './send-stream.ts';
import { ReceiveStream } from './receive-stream.ts';
import type { FrameSender } from './frame-sender.ts';

/** A stream to the other end. */
export interface OutgoingStream {
  /** Resolves when all of it was sent (or taken, with `done: 'taken'`); rejects when the call ends before that. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Sends one part at most without a copy. False: there is no room for another one before `onRoom`. */
  readonly push: (bytes: Uint8Array) => boolean;
  readonly hasRoom: boolean;
  readonly end: () => void;
  /** Nothing is sent any more; what was written and not taken is rejected. */
  readonly close: () => void;
}

export interface OutgoingOptions extends Pick<SendOptions, 'done' | 'onRoom'> {
  /** The error of a write after the end. */
  readonly closed?: () => Error;
}

export interface StreamListener {
  /** The bytes are valid only during the call. False: the listener calls `resume` when it is done with them and wants more. */
  readonly deliver: (bytes: Uint8Array) => boolean;
  /** The other end has ended the stream; bytes may still wait for the listener. */
  readonly ending?: () => void;
  /** The end of the stream, after all bytes were delivered. */
  readonly ended: () => void;
}

export interface IncomingStream {
  /** Something waits for the listener. */
  readonly isHeld: boolean;
  resume(): void;
}

type Send = (write: (sender: FrameSender) => void) => void;

export class CallStreams {
  readonly #id: number;
  readonly #send: Send;
  /** Made by the first stream of a direction: most calls have none. */
  #outgoing: Map<StreamKind, SendStream> | undefined;
  #incoming: Map<StreamKind, ReceiveStream> | undefined;
  #isClosed = false;

  constructor(id: number, send: Send) {
    this.#id = id;
    this.#send = send;
  }

  /** Opens a stream to the other end. */
  outgoing(kind: StreamKind, { closed = callEnded, ...options }: OutgoingOptions = {}): OutgoingStream {
    const write = (bytes?: Uint8Array) => this.#send((sender) => sender.stream(kind, this.#id, bytes));
    const stream = new SendStream(write, closed, { done: 'sent', window: windowOf(kind), ...options });
    if (this.#isClosed) stream.close();
    this.#outgoing ??= new Map();
    this.#outgoing.set(kind, stream);
    return {
      write: (bytes) => stream.write(bytes),
      push: (bytes) => stream.push(bytes),
      get hasRoom() {
        return stream.hasRoom;
      },
      end: () => stream.end(() => write()),
      close: () => stream.close(),
    };
  }

  /** Opens a stream from the other end. Bytes that arrive before that are a protocol violation. */
  incoming(kind: StreamKind, { deliver, ending, ended }: StreamListener): IncomingStream {
    const grant = (bytes: number): void => {
      if (!this.#isClosed) this.#send((sender) => sender.credit(this.#id, kind, bytes));
    };
    const stream = new ReceiveStream({ deliver, grant, ending, drained: ended }, windowOf(kind), portionOf(kind));
    this.#incoming ??= new Map();
    this.#incoming.set(kind, stream);
    return stream;
  }

  receive(kind: StreamKind, bytes: Uint8Array): void {
    const stream = this.#incoming?.get(kind);
    expectThat(stream !== undefined, `bytes of the stream ${kind}, which is not open`);
    stream.receive(bytes);
  }

  credit(kind: StreamKind, bytes: number): void {
    const stream = this.#outgoing?.get(kind);
    expectThat(stream !== undefined, `credit for the stream ${kind}, which is not open`);
    stream.taken(bytes);
  }

  /** The call was answered: what has arrived is still delivered, and then the end. */
  end(): void {
    this.close();
    for (const stream of this.#incoming?.values() ?? []) stream.end();
  }

  /** Nothing is sent any more. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#outgoing?.values() ?? []) stream.close();
  }
}

function windowOf(kind: StreamKind): number {
  return kind === 'net' ? NET_WINDOW : STREAM_WINDOW;
}

/** Writers of input wait for its acknowledgement, so every byte is acknowledged immediately. */
function portionOf(kind: StreamKind): number | undefined {
  return kind === 'in' ? 1 : undefined;
}

function callEnded(): Error {
  return new Error('the call has ended');
}
