/** A carrier transports whole messages, in order, between two machines. It knows neither what they mean nor who sends them. */

/** Bytes of the longest message: 1 MiB and the header of a link. */
export const LONGEST_CARRIED = 1024 * 1024 + 64;

/** Bytes before a message that a carrier may write a header to: that of a WebSocket frame is no longer. */
export const HEADROOM = 14;

export type Release = (bytes: Uint8Array) => void;

export interface CarrierEvents {
  /** `release` may be called when the receiver does not need the bytes any more: the carrier uses their memory again. */
  message(bytes: Uint8Array, release?: Release): void;
  /** More can be sent, after `send` has returned false. */
  room(): void;
  /** Called once: the connection has ended, also after `close`. Nothing follows. */
  down(reason: string): void;
}

export interface Carrier {
  /**
   * Takes the message in any case. False: send the next one after `room`. The sender must not change the message, except after
   * `sent`, which a carrier may call when it does not need the memory any more. With `sent`, the HEADROOM bytes before the
   * message are the carrier's too.
   */
  send(message: Uint8Array, sent?: () => void): boolean;
  /**
   * Sets the receiver, and delivers what came before. Undefined: the carrier stops reading, and keeps what it has already read.
   * So one receiver can hand the carrier over to another, as the handshake does to the link.
   */
  on(events: CarrierEvents | undefined): void;
  /** Stops reading: the other end soon has no room. What was already read is kept. */
  pause(): void;
  resume(): void;
  /** Sends the reason to the other end. */
  close(reason: string): void;
  /** The TLS exporter of this connection, 32 bytes, equal at both ends; undefined where this end does not terminate TLS. */
  readonly binding: Uint8Array | undefined;
  /** The address of the other end, for messages. */
  readonly remote: string;
}

/** The receiving side of a carrier: it delivers in order, or keeps messages while none is taken. */
export class CarrierInbox {
  readonly #read: (isReading: boolean) => void;
  readonly #kept: { readonly bytes: Uint8Array; readonly release: Release | undefined }[] = [];
  #events: CarrierEvents | undefined;
  #isPaused = false;
  #isReading = false;
  #isDelivering = false;
  #down: string | undefined;
  #isDownReported = false;

  /** `read` starts and stops reading from the connection. It is stopped at first. */
  constructor(read: (isReading: boolean) => void) {
    this.#read = read;
  }

  get isDown(): boolean {
    return this.#down !== undefined;
  }

  on(events: CarrierEvents | undefined): void {
    this.#events = events;
    this.#deliver();
  }

  pause(): void {
    this.#isPaused = true;
    this.#deliver();
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  message(bytes: Uint8Array, release?: Release): void {
    if (this.#down !== undefined) return;
    this.#kept.push({ bytes, release });
    this.#deliver();
  }

  room(): void {
    if (this.#down === undefined) this.#events?.room();
  }

  /** Messages that were read before are delivered first. */
  down(reason: string): void {
    if (this.#down !== undefined) return;
    this.#down = reason;
    this.#deliver();
  }

  #deliver(): void {
    if (this.#isDelivering) return; // a receiver called back
    this.#isDelivering = true;
    try {
      while (this.#isTaking()) {
        const message = this.#kept.shift();
        if (message === undefined) break;
        this.#events?.message(message.bytes, message.release);
      }
    } finally {
      this.#isDelivering = false;
    }
    if (this.#down === undefined) {
      if (this.#isReading === this.#isTaking()) return;
      this.#isReading = !this.#isReading;
      this.#read(this.#isReading);
    } else if (this.#isTaking() && !this.#isDownReported) {
      this.#isDownReported = true;
      this.#events?.down(this.#down);
    }
  }

  #isTaking(): boolean {
    return this.#events !== undefined && !this.#isPaused;
  }
}

/** What all carriers do in the same way: they deliver through an inbox, and refuse to send a message that is too long. */
export abstract class InboxCarrier implements Carrier {
  abstract readonly binding: Uint8Array | undefined;
  abstract readonly remote: string;
  protected readonly inbox = new CarrierInbox((isReading) => this.read(isReading));

  send(message: Uint8Array, sent?: () => void): boolean {
    if (message.length > LONGEST_CARRIED) throw new RangeError(`a message of ${message.length} bytes is too long`);
    return this.inbox.isDown || this.transmit(message, sent);
  }

  on(events: CarrierEvents | undefined): void {
    this.inbox.on(events);
  }

  pause(): void {
    this.inbox.pause();
  }

  resume(): void {
    this.inbox.resume();
  }

  abstract close(reason: string): void;
  /** Starts and stops reading from the connection. It is stopped at first. */
  protected abstract read(isReading: boolean): void;
  /** As `send`, for a message that is short enough, while the connection is up. */
  protected abstract transmit(message: Uint8Array, sent?: () => void): boolean;
}
