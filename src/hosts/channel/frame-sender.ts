import type { Writable } from 'node:stream';
import {
  creditFrame,
  frame,
  frameHeader,
  type FrameKind,
  type LogBytes,
  logFrames,
  LONGEST_PART,
  piecesOf,
  type StreamKind,
  WORTH_COPYING,
} from './frames.ts';

/** Bytes of a value that may wait in the socket, so that its reader does not wait between the parts. */
const MOST_OF_A_VALUE = 512 * 1024;
const NOTHING = new Uint8Array(0);
/** How long a lazy frame waits for others. */
const LAZY_MS = 1;

/** Writes frames to a connection. Frames of one turn of the event loop are sent together. */
export class FrameSender {
  readonly #output: Writable;
  #isCorked = false;
  #isFlushing = false;
  #isLazy = false;
  #timer: NodeJS.Timeout | undefined;
  /** Shared by all who wait, so that the stream has one listener. */
  #drained: Promise<void> | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Bytes that are written and not sent. */
  get waiting(): number {
    return this.#output.writableLength;
  }

  /** Frames that `work` writes may wait a millisecond: each send wakes the receiver. */
  lazily(work: () => void): void {
    this.#isLazy = true;
    try {
      work();
    } finally {
      this.#isLazy = false;
    }
  }

  credit(id: number, stream: StreamKind, bytes: number): void {
    this.#write(creditFrame(id, stream, bytes));
  }

  /** Bytes of a stream, which must not change until they are sent; none for its end. */
  stream(kind: StreamKind, id: number, bytes: Uint8Array = NOTHING): void {
    for (const piece of piecesOf(bytes)) this.raw(kind, id, piece);
  }

  /** A single frame. */
  raw(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (payload.length <= WORTH_COPYING) this.#write(frame(kind, id, payload));
    else {
      this.#write(frameHeader(kind, id, payload.length));
      this.#write(payload);
    }
  }

  /** Bytes of a session's log, which must not change until they are sent. */
  log(id: number, bytes: LogBytes, sent?: () => void): void {
    const frames = [...logFrames(id, bytes)];
    const last = frames.pop();
    for (const each of frames) this.#write(each);
    if (last !== undefined) this.#write(last, (error) => void (error ?? sent?.()));
  }

  /** A value of any length, in parts; other frames may be sent in between. Resolves when all of it is written. */
  async value(id: number, bytes: Uint8Array): Promise<void> {
    const end = Math.max(0, bytes.length - LONGEST_PART);
    let at = 0;
    for (; at < end; at += LONGEST_PART) {
      this.raw('part', id, bytes.subarray(at, at + LONGEST_PART));
      if (this.waiting > MOST_OF_A_VALUE) await this.drained();
      if (this.#output.destroyed) return;
    }
    this.raw('last', id, bytes.subarray(at));
  }

  /** Resolves when all is sent, the connection has ended, or the signal fires. */
  drained(signal?: AbortSignal): Promise<void> {
    const output = this.#output;
    if (!output.writableNeedDrain || signal?.aborted === true) return Promise.resolve();
    const drained = (this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        output.off('drain', done).off('close', done);
        this.#drained = undefined;
        resolve();
      };
      output.on('drain', done).on('close', done);
    }));
    if (signal === undefined) return drained;
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      void drained.then(done);
    });
  }

  #write(bytes: Uint8Array, written?: (error: Error | null | undefined) => void): void {
    if (this.#output.destroyed || this.#output.writableEnded) return; // the reader notices its end
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#output.cork();
    }
    if (this.#isLazy) this.#timer ??= setTimeout(() => this.#flush(), LAZY_MS);
    else if (!this.#isFlushing) {
      this.#isFlushing = true;
      process.nextTick(() => this.#flush());
    }
    this.#output.write(bytes, written);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isCorked = false;
    this.#isFlushing = false;
    this.#output.uncork();
  }
}
