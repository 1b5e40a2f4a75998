/** Writes frames to a channel; the same on both sides. */
import type { Writable } from 'node:stream';
import {
  creditFrame,
  frame,
  frameHeader,
  type FrameKind,
  type LogBytes,
  logFrames,
  LONGEST_PART,
  messageFrame,
  piecesOf,
  type StreamKind,
} from './frames.ts';

/** Up to this size it is cheaper to copy a payload than to write it apart from its header. */
const WORTH_COPYING = 4096;
/** So much of a value may wait to leave before the rest of it does; whoever reads it is not kept waiting between its parts. */
const MOST_OF_A_VALUE = 512 * 1024;
const NOTHING = new Uint8Array(0);
/** How long what has time waits for something to leave with. */
const LAZY_MS = 1;

/** What can be said. Frames of one turn of the event loop leave together. */
export class FrameSender {
  readonly #channel: Writable;
  #isCorked = false;
  #isLeaving = false;
  #isLazy = false;
  #timer: NodeJS.Timeout | undefined;
  /** Whoever waits shares it: one listener, however many they are. */
  #drained: Promise<void> | undefined;

  constructor(channel: Writable) {
    this.#channel = channel;
  }

  /** What was said and has not left yet. */
  get waiting(): number {
    return this.#channel.writableLength;
  }

  /** What is said meanwhile has a millisecond: each time something leaves, whoever hears it is woken. */
  lazily(work: () => void): void {
    this.#isLazy = true;
    try {
      work();
    } finally {
      this.#isLazy = false;
    }
  }

  message(id: number, message: unknown): void {
    this.#write(messageFrame(id, message));
  }

  credit(id: number, stream: StreamKind, bytes: number): void {
    this.#write(creditFrame(id, stream, bytes));
  }

  /** Bytes of a stream, which have to stay as they are until they have left; none for its end. */
  stream(kind: StreamKind, id: number, bytes: Uint8Array = NOTHING): void {
    for (const piece of piecesOf(bytes)) this.raw(kind, id, piece);
  }

  /** A frame as it is. */
  raw(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (payload.length <= WORTH_COPYING) this.#write(frame(kind, id, payload));
    else {
      this.#write(frameHeader(kind, id, payload.length));
      this.#write(payload);
    }
  }

  /** Bytes of a session's log; they are copied. */
  log(id: number, bytes: LogBytes): void {
    for (const each of logFrames(id, bytes)) this.#write(each);
  }

  /** A value of any length, in parts; others may speak in between. Resolves when all of it is on its way. */
  async value(id: number, bytes: Uint8Array): Promise<void> {
    const end = Math.max(0, bytes.length - LONGEST_PART);
    let at = 0;
    for (; at < end; at += LONGEST_PART) {
      this.raw('part', id, bytes.subarray(at, at + LONGEST_PART));
      if (this.waiting > MOST_OF_A_VALUE) await this.drained();
      if (this.#channel.destroyed) return;
    }
    this.raw('last', id, bytes.subarray(at));
  }

  /** Resolves when all has left, the channel has ended, or the signal has fired. */
  drained(signal?: AbortSignal): Promise<void> {
    const channel = this.#channel;
    if (!channel.writableNeedDrain || signal?.aborted === true) return Promise.resolve();
    const drained = (this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        channel.off('drain', done).off('close', done);
        this.#drained = undefined;
        resolve();
      };
      channel.on('drain', done).on('close', done);
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

  #write(bytes: Uint8Array): void {
    if (this.#channel.destroyed || this.#channel.writableEnded) return; // its end is heard by whoever reads it
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#channel.cork();
    }
    if (this.#isLazy) this.#timer ??= setTimeout(() => this.#leave(), LAZY_MS);
    else if (!this.#isLeaving) {
      this.#isLeaving = true;
      process.nextTick(() => this.#leave());
    }
    this.#channel.write(bytes);
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isCorked = false;
    this.#isLeaving = false;
    this.#channel.uncork();
  }
}
