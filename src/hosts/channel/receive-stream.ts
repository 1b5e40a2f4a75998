/** A stream from the other end: delivers bytes, keeps them for a paused listener, and gives credit for more. */
import { Backlog } from './backlog.ts';
import { expectThat } from './protocol-violation.ts';
import { LONGEST_PART, STREAM_WINDOW } from './frames.ts';

export interface ReceiveEvents {
  /** False: the listener calls `resume` when it is done with the bytes and wants more. */
  deliver(bytes: Uint8Array): boolean;
  /** The sender may send this many more bytes. */
  grant(bytes: number): void;
  /** The sender has ended the stream; some of it may still wait for the listener. */
  ending?: (() => void) | undefined;
  /** The stream has ended and all of it was delivered. */
  drained(): void;
}

export class ReceiveStream {
  readonly #events: ReceiveEvents;
  readonly #backlog = new Backlog(LONGEST_PART);
  /** Credit is given in portions of this size. */
  readonly #portion: number;
  /** Bytes that the sender may still send. */
  #allowed: number;
  /** Bytes that the listener has taken and that no credit was given for. */
  #taken = 0;
  #isPaused = false;
  #ended = false;
  #drained = false;

  constructor(events: ReceiveEvents, window = STREAM_WINDOW, portion = window / 4) {
    this.#events = events;
    this.#allowed = window;
    this.#portion = portion;
  }

  /** Something waits for the listener. */
  get isHeld(): boolean {
    return this.#isPaused || !this.#backlog.isEmpty;
  }

  /** No bytes mean the end of the stream. */
  receive(bytes: Uint8Array): void {
    expectThat(!this.#ended, 'bytes after the end of a stream');
    if (bytes.length === 0) {
      this.end();
      return;
    }
    expectThat(bytes.length <= this.#allowed, 'more bytes of a stream than there was credit for');
    this.#allowed -= bytes.length;
    if (this.isHeld) this.#backlog.push(bytes);
    else this.#deliver(bytes);
  }

  end(): void {
    if (!this.#ended) this.#events.ending?.();
    this.#ended = true;
    this.#finish();
  }

  resume(): void {
    this.#isPaused = false;
    this.#giveCredit();
    while (!this.#isPaused) {
      const bytes = this.#backlog.shift();
      if (bytes === undefined) break;
      this.#deliver(bytes);
    }
    this.#finish();
  }

  #deliver(bytes: Uint8Array): void {
    this.#taken += bytes.length;
    this.#isPaused = !this.#events.deliver(bytes);
    if (!this.#isPaused) this.#giveCredit();
  }

  /** The listener is done with what was delivered. */
  #giveCredit(): void {
    if (this.#taken < this.#portion || this.#taken === 0) return;
    this.#allowed += this.#taken;
    this.#events.grant(this.#taken);
    this.#taken = 0;
  }

  #finish(): void {
    if (!this.#ended || this.#drained || !this.#backlog.isEmpty) return;
    this.#drained = true;
    this.#events.drained();
  }
}
