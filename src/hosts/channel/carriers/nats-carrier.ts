/**
 * One connection over NATS, whose server neither keeps messages nor slows a sender down. So frames are numbered, a hole ends
 * the connection, and a sender has at most a window of bytes on the way.
 */
import { InboxCarrier, LONGEST_CARRIED } from './carrier.ts';
import { decodeReason, encodeReason } from './close-reason.ts';
import {
  creditPayload,
  NATS_HEADER_BYTES,
  NATS_KINDS,
  type NatsFrame,
  type NatsKind,
  natsFrame,
  readCredit,
} from './nats-frames.ts';

/**
 * Bytes on the way to one receiver. The server disconnects a client that lets 64 MiB wait: a gateway may be slow while 200
 * nodes send.
 */
export const NATS_WINDOW = 256 * 1024;
/** The receiver reports what it has taken in quarters. */
const REPORT_BYTES = NATS_WINDOW / 4;
const LONGEST_PART = 64 * 1024;
const LONGEST_REASON = 200;
const NOTHING = new Uint8Array(0);

export interface NatsCarrierParts {
  /** The id of this connection, hexadecimal. */
  readonly connection: string;
  readonly remote: string;
  /** The longest message of the server. */
  readonly maxPayload: number;
  publish(frame: Uint8Array): void;
  /** Called once, at the end of the connection. */
  ended(): void;
}

interface WaitingPart {
  readonly kind: NatsKind;
  readonly payload: Uint8Array;
  /** Of the last part: the frames have copies, so the message is not needed any more. */
  readonly sent?: (() => void) | undefined;
}

export class NatsCarrier extends InboxCarrier {
  /** TLS, where there is any, ends at the NATS server. */
  readonly binding = undefined;
  readonly remote: string;
  readonly #parts: NatsCarrierParts;
  readonly #longestPart: number;
  /** Parts that wait until the other end has taken more. */
  readonly #waiting: WaitingPart[] = [];
  /** Parts that arrived while the receiver does not read. */
  readonly #arrived: NatsFrame[] = [];
  /** The parts of a message so far, copied: its size does not depend on their number. */
  #assembled = NOTHING;
  #assembledBytes = 0;
  #isReading = false;
  #isFull = false;
  #isEnded = false;
  #sentFrames = 0;
  #receivedFrames = 0;
  #sentBytes = 0;
  #creditedBytes = 0;
  #arrivedBytes = 0;
  #takenBytes = 0;
  #reportedBytes = 0;
  #closing: string | undefined;

  constructor(parts: NatsCarrierParts) {
    super();
    this.#parts = parts;
    this.remote = parts.remote;
    this.#longestPart = Math.max(1, Math.min(LONGEST_PART, parts.maxPayload - NATS_HEADER_BYTES));
  }

  protected override read(isReading: boolean): void {
    this.#isReading = isReading;
    // A receiver is being set: what has arrived comes after this call.
    if (isReading) queueMicrotask(() => this.#take());
  }

  protected override transmit(message: Uint8Array, sent?: () => void): boolean {
    if (this.#isEnded) return true;
    let at = 0;
    do {
      const payload = message.subarray(at, at + this.#longestPart);
      at += payload.length;
      this.#waiting.push(
        at < message.length ? { kind: NATS_KINDS.part, payload } : { kind: NATS_KINDS.data, payload, sent },
      );
    } while (at < message.length);
    this.#sendWaiting();
    this.#isFull = this.#waiting.length > 0 || this.#sentBytes - this.#creditedBytes >= NATS_WINDOW / 2;
    return !this.#isFull;
  }

  override close(reason: string): void {
    if (this.#isEnded) return;
    this.#publish(NATS_KINDS.close, encodeReason(reason, LONGEST_REASON));
    this.#arrived.length = 0;
    this.end(reason);
  }

  /** The connection to the server has ended, or the other end is gone. What has arrived is delivered first. */
  end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting.length = 0;
    this.#closing = reason;
    this.#take();
    this.#parts.ended();
  }

  /** A frame of the other end for this connection. */
  receive(frame: NatsFrame): void {
    if (this.#isEnded) return;
    const { kind, number, payload } = frame;
    if (kind === NATS_KINDS.close) this.end(decodeReason(payload));
    else if (number !== this.#receivedFrames) this.close(`message ${number} instead of ${this.#receivedFrames}`);
    else {
      this.#receivedFrames++;
      if (kind === NATS_KINDS.credit) this.#credit(readCredit(payload));
      else if (kind === NATS_KINDS.data || (kind === NATS_KINDS.part && payload.length > 0)) this.#arrive(frame);
      else this.close('a malformed message');
    }
  }

  #arrive(frame: NatsFrame): void {
    this.#arrivedBytes += frame.payload.length;
    const unreported = this.#arrivedBytes - this.#reportedBytes;
    if (unreported > NATS_WINDOW || this.#arrived.length > NATS_WINDOW / NATS_HEADER_BYTES)
      this.close('more messages than this end has room for');
    else {
      this.#arrived.push(frame);
      this.#take();
    }
  }

  #take(): void {
    while (this.#isReading && this.#arrived.length > 0) this.#assemble(this.#arrived.shift()!);
    if (this.#closing !== undefined && this.#arrived.length === 0) this.inbox.down(this.#closing);
  }

  #assemble({ kind, payload }: NatsFrame): void {
    if (this.#assembledBytes + payload.length > LONGEST_CARRIED) {
      this.close('a message that is too long');
      return;
    }
    this.#takenBytes += payload.length;
    if (!this.#isEnded && this.#takenBytes - this.#reportedBytes >= REPORT_BYTES) {
      this.#reportedBytes = this.#takenBytes;
      this.#publish(NATS_KINDS.credit, creditPayload(this.#takenBytes));
    }
    if (kind === NATS_KINDS.part) {
      this.#append(payload);
      return;
    }
    let message = payload;
    if (this.#assembledBytes > 0) {
      this.#append(payload);
      message = this.#assembled.subarray(0, this.#assembledBytes);
    }
    this.#assembled = NOTHING;
    this.#assembledBytes = 0;
    this.inbox.message(message);
  }

  #append(part: Uint8Array): void {
    const length = this.#assembledBytes + part.length;
    if (length > this.#assembled.length) {
      const larger = new Uint8Array(Math.min(LONGEST_CARRIED, length * 2));
      larger.set(this.#assembled.subarray(0, this.#assembledBytes));
      this.#assembled = larger;
    }
    this.#assembled.set(part, this.#assembledBytes);
    this.#assembledBytes = length;
  }

  #credit(taken: number | undefined): void {
    if (taken === undefined || taken < this.#creditedBytes || taken > this.#sentBytes) {
      this.close('a malformed message');
      return;
    }
    this.#creditedBytes = taken;
    this.#sendWaiting();
    if (!this.#isFull || this.#waiting.length > 0 || this.#sentBytes - taken >= NATS_WINDOW / 2) return;
    this.#isFull = false;
    this.inbox.room();
  }

  #sendWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#sentBytes - this.#creditedBytes + next.payload.length > NATS_WINDOW) return;
      this.#waiting.shift();
      this.#sentBytes += next.payload.length;
      this.#publish(next.kind, next.payload);
      next.sent?.();
    }
  }

  #publish(kind: NatsKind, payload: Uint8Array): void {
    this.#parts.publish(natsFrame(kind, this.#parts.connection, this.#sentFrames, payload));
    this.#sentFrames++;
  }
}
