/**
 * A link: one life of a connection between a node and its gateway. It turns the messages of a carrier into the byte stream of
 * a channel. A message that was lost, repeated, reordered, or sent over an earlier connection ends the link:
 *   u8 kind · 16 bytes epoch · u48 number · payload        (little-endian)
 */
import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import { BufferPool } from '../buffer-pool.ts';
import { type Carrier, HEADROOM, type Release } from './carriers/carrier.ts';
import { type Channel, openChannel } from './channel.ts';
import { LONGEST_PART } from './frames.ts';
import type { MethodShapes } from './method-checks.ts';
import { ProtocolViolation, expectThat } from './protocol-violation.ts';
import type { ServingOptions } from './serving.ts';

export interface LinkOptions {
  /** Both ends have it from the handshake. It is never used again. */
  readonly epoch: string;
  /** `opener`: the node, which connected. */
  readonly side: 'opener' | 'acceptor';
  readonly serve?: ServingOptions['serve'];
  /** All that the other end may send. */
  readonly methods?: MethodShapes;
  /** Default: 10 s. */
  readonly pingMs?: number;
  /** Without a message for this long, the link ends. Default: 25 s. */
  readonly silenceMs?: number;
}

export interface Link {
  readonly epoch: string;
  readonly channel: Channel;
  /** Resolves at the end, with the reason. */
  readonly down: Promise<string>;
  close(reason: string): void;
}

const KINDS = { data: 1, ping: 2 } as const;
const EPOCH_BYTES = 16;
const NUMBER_AT = 1 + EPOCH_BYTES;
const NUMBER_BYTES = 6;
const HEADER_BYTES = NUMBER_AT + NUMBER_BYTES;
const LONGEST_FRAME_HEADER = 64;
/**
 * Short, so that a slow connection delivers a whole message before the receiver considers it silent. A whole frame with 64 KiB
 * fits in.
 */
const LONGEST_PAYLOAD = LONGEST_PART + LONGEST_FRAME_HEADER;
const BUFFER_BYTES = 256 * 1024;
/** Shared by all links of the process. */
const messages = new BufferPool(HEADROOM + HEADER_BYTES + LONGEST_PAYLOAD);
const PING_MS = 10_000;
const SILENCE_MS = 25_000;

export function openLink(carrier: Carrier, options: LinkOptions): Link {
  const stream = new LinkStream(carrier, options);
  const channel = openChannel(stream, {
    trust: 'paired',
    side: options.side,
    ...(options.serve === undefined ? {} : { serve: options.serve }),
    ...(options.methods === undefined ? {} : { methods: options.methods }),
    broken: (reason) => stream.finish(reason),
    lost: (reason) =>
      new Fault('NODE_LINK_BROKEN', `the connection to ${carrier.remote} ended: ${reason}`, {
        hint: 'the node reconnects; look whether the command runs before you repeat it',
      }),
  });
  return { epoch: options.epoch, channel, down: stream.down, close: (reason) => stream.finish(reason) };
}

class LinkStream extends Duplex {
  readonly down: Promise<string>;
  readonly #carrier: Carrier;
  readonly #silenceMs: number;
  /** A string has a fraction of the memory of a buffer. */
  readonly #ownEpoch: string;
  readonly #otherEpoch: string;
  readonly #pings: NodeJS.Timeout;
  #silence: NodeJS.Timeout;
  #sent = 0;
  #received = 0;
  #heardAt = performance.now();
  #isPaused = false;
  /** Continues a write when the carrier has room. */
  #continue: (() => void) | undefined;
  #isFinished = false;
  #resolveDown: (reason: string) => void = () => {};

  constructor(carrier: Carrier, { epoch, side, pingMs = PING_MS, silenceMs = SILENCE_MS }: LinkOptions) {
    super({ readableHighWaterMark: BUFFER_BYTES, writableHighWaterMark: BUFFER_BYTES });
    this.#carrier = carrier;
    this.#silenceMs = silenceMs;
    this.#ownEpoch = epochBytes(epoch, side);
    this.#otherEpoch = epochBytes(epoch, side === 'opener' ? 'acceptor' : 'opener');
    this.down = new Promise((resolve) => (this.#resolveDown = resolve));
    this.#pings = setInterval(() => this.#ping(), pingMs);
    this.#silence = setTimeout(() => this.#checkSilence(), silenceMs);
    // The channel sets its listeners in this turn of the event loop; messages that came before need them.
    queueMicrotask(() => {
      if (this.#isFinished) return;
      carrier.on({
        message: (bytes, release) => this.#receive(bytes, release),
        room: () => this.#continue?.(),
        down: (reason) => this.finish(reason),
      });
    });
  }

  finish(reason: string): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    clearInterval(this.#pings);
    clearTimeout(this.#silence);
    this.#carrier.close(reason);
    this.destroy(new Error(reason)); // calls in work get the reason
    this.#resolveDown(reason);
  }

  override _read(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#heardAt = performance.now();
    this.#carrier.resume();
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: () => void): void {
    done();
    this.finish('closed');
  }

  /** The channel destroys the stream before it reports the reason. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    queueMicrotask(() => this.finish('closed'));
    done(error);
  }

  /** Packs chunks into messages, and copies each byte once. */
  #send(chunks: readonly Buffer[], done: () => void): void {
    let index = 0;
    let at = 0;
    const next = (): Buffer => {
      const message = this.#message(KINDS.data, payloadBytes(chunks, index, at));
      for (let filled = HEADER_BYTES; filled < message.length; ) {
        const chunk = chunks[index]!;
        const copied = chunk.copy(message, filled, at);
        filled += copied;
        at += copied;
        if (at < chunk.length) continue;
        index++;
        at = 0;
      }
      return message;
    };
    const sendAll = (): void => {
      this.#continue = undefined;
      while (index < chunks.length && !this.#isFinished) {
        const message = next();
        if (this.#carrier.send(message, () => messages.release(message))) continue;
        this.#continue = sendAll;
        return;
      }
      done();
    };
    sendAll();
  }

  /** A message with its header; the payload is not set. */
  #message(kind: number, payloadBytes: number): Buffer {
    const bytes = messages.allocate(HEADROOM + HEADER_BYTES + payloadBytes).subarray(HEADROOM);
    bytes[0] = kind;
    bytes.write(this.#ownEpoch, 1, 'latin1');
    bytes.writeUIntLE(this.#sent, NUMBER_AT, NUMBER_BYTES);
    this.#sent++;
    return bytes;
  }

  /** While a write waits for room, the messages on the way show the other end that this one is alive. */
  #ping(): void {
    if (this.#continue === undefined) this.#carrier.send(this.#message(KINDS.ping, 0));
  }

  #receive(message: Uint8Array, release?: Release): void {
    if (this.#isFinished) return;
    try {
      const payload = this.#readMessage(message);
      if (payload.length === 0) return;
      const hasRoom = this.push(payload);
      if (this.readableLength === 0) release?.(message); // the channel has read it
      if (hasRoom) return;
      this.#isPaused = true;
      this.#carrier.pause();
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.finish(error.message);
    }
  }

  #readMessage(message: Uint8Array): Uint8Array {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
    expectThat(bytes.length >= HEADER_BYTES, 'a message without a header');
    expectThat(bytes.toString('latin1', 1, NUMBER_AT) === this.#otherEpoch, 'a message of another connection');
    const number = bytes.readUIntLE(NUMBER_AT, NUMBER_BYTES);
    expectThat(number === this.#received, `message ${number} instead of ${this.#received}`);
    const payload = bytes.subarray(HEADER_BYTES);
    const isData = bytes[0] === KINDS.data && payload.length > 0 && payload.length <= LONGEST_PAYLOAD;
    expectThat(isData || (bytes[0] === KINDS.ping && payload.length === 0), 'a malformed message');
    this.#received++;
    this.#heardAt = performance.now();
    return payload;
  }

  /** After this process was suspended, what arrived meanwhile is read before the decision. */
  #checkSilence(): void {
    setImmediate(() => {
      if (this.#isFinished) return;
      if (this.#isPaused) this.#heardAt = performance.now(); // this end does not read
      const left = this.#heardAt + this.#silenceMs - performance.now();
      if (left <= 0) return this.finish(`no message for ${this.#silenceMs / 1000} s`);
      this.#silence = setTimeout(() => this.#checkSilence(), left);
    });
  }
}

/**
 * How much of the chunks the next message carries. A frame that fits into one message is not divided, so that the receiver does
 * not have to put it together again. Its header and a long payload are two chunks.
 */
function payloadBytes(chunks: readonly Buffer[], index: number, at: number): number {
  let bytes = chunks[index]!.length - at;
  for (let next = index + 1; next < chunks.length && bytes < LONGEST_PAYLOAD; next++) {
    const { length } = chunks[next]!;
    const withPayload = length + (length <= LONGEST_FRAME_HEADER ? (chunks[next + 1]?.length ?? 0) : 0);
    if (bytes + withPayload > LONGEST_PAYLOAD && withPayload <= LONGEST_PAYLOAD) break;
    bytes += length;
  }
  return Math.min(bytes, LONGEST_PAYLOAD);
}

/** In latin1. Different for both directions, so that a reflected message is not accepted. */
function epochBytes(epoch: string, side: LinkOptions['side']): string {
  const digest = createHash('sha256').update(`pincer-node-v1 ${side} ${epoch}`).digest();
  return digest.toString('latin1', 0, EPOCH_BYTES);
}
