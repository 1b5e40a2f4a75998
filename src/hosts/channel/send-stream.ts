/** A stream to the other end. It sends no more than the receiver has given credit for. */
import { expectThat } from './protocol-violation.ts';
import { LONGEST_PART, STREAM_WINDOW } from './frames.ts';

interface Write {
  /** A copy: the caller may reuse its buffer before all of it is sent. */
  readonly bytes: Uint8Array;
  sent: number;
  left: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

export interface SendOptions {
  /** A write resolves when all of it was sent, or when the receiver has taken it. Default: `taken`. */
  readonly done?: 'sent' | 'taken';
  /** Bytes that may be sent and not taken. Default: STREAM_WINDOW. */
  readonly window?: number;
  /** Called when there is room for another part. */
  readonly onRoom?: () => void;
}

export class SendStream {
  readonly #send: (bytes: Uint8Array) => void;
  readonly #closed: () => Error;
  readonly #window: number;
  readonly #isDoneWhenSent: boolean;
  readonly #onRoom: (() => void) | undefined;
  /** Writes that are not completely sent or acknowledged, in order. */
  #writes: Write[] = [];
  #underWay = 0;
  #isClosed = false;
  #ending: (() => void) | undefined;

  constructor(send: (bytes: Uint8Array) => void, closed: () => Error, options: SendOptions = {}) {
    this.#send = send;
    this.#closed = closed;
    this.#window = options.window ?? STREAM_WINDOW;
    this.#isDoneWhenSent = options.done === 'sent';
    this.#onRoom = options.onRoom;
  }

  get hasRoom(): boolean {
    return this.#window - this.#underWay >= LONGEST_PART;
  }

  /**
   * Sends bytes without a copy: they must not change until they are sent. For a source that reads one part at a time and stops
   * while there is no room. Returns whether there is room for another part.
   */
  push(bytes: Uint8Array): boolean {
    if (this.#isClosed) return true;
    this.#underWay += bytes.length;
    this.#send(bytes);
    return this.hasRoom;
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed || this.#ending !== undefined) return Promise.reject(this.#closed());
    if (bytes.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#writes.push({ bytes: new Uint8Array(bytes), sent: 0, left: bytes.length, resolve, reject });
      this.#pump();
    });
  }

  /** Calls back when all earlier writes are sent. Later writes are rejected. */
  end(sent: () => void): void {
    if (this.#isClosed || this.#ending !== undefined) return;
    this.#ending = sent;
    this.#pump();
  }

  /** The receiver has taken this many bytes. */
  taken(bytes: number): void {
    expectThat(bytes > 0 && bytes <= this.#underWay, 'credit for more than was sent');
    this.#underWay -= bytes;
    if (this.#isClosed) return; // what was under way when it closed
    if (this.hasRoom) this.#onRoom?.();
    for (let rest = this.#isDoneWhenSent ? 0 : bytes; rest > 0; ) {
      const first = this.#writes[0];
      if (first === undefined) break;
      const part = Math.min(rest, first.left);
      first.left -= part;
      rest -= part;
      if (first.left > 0) break;
      this.#writes.shift();
      first.resolve();
    }
    this.#pump();
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#writes.splice(0)) reject(this.#closed());
  }

  #pump(): void {
    for (const write of this.#writes) {
      while (write.sent < write.bytes.length) {
        const room = Math.min(this.#window - this.#underWay, LONGEST_PART);
        if (room <= 0) return;
        const part = write.bytes.subarray(write.sent, write.sent + room);
        write.sent += part.length;
        this.#underWay += part.length;
        this.#send(part);
      }
    }
    if (this.#isDoneWhenSent) for (const { resolve } of this.#writes.splice(0)) resolve();
    const ending = this.#ending;
    if (ending === undefined || this.#isClosed) return;
    this.#ending = () => {};
    ending();
  }
}
