/** One output stream of a command: what arrives, how much more may come, and what waits for a listener that is silent. */
import { Backlog } from './backlog.ts';
import { expectThat } from './breach.ts';
import { LONGEST_PART, STREAM_WINDOW } from './frames.ts';

export interface OutputEvents {
  /** False: the listener is done with the bytes, and takes more, when it calls `resume`. */
  deliver(bytes: Uint8Array): boolean;
  /** So many more bytes may be sent. */
  grant(bytes: number): void;
  /** Its end has come and all of it is delivered. */
  drained(): void;
}

export class OutputStream {
  readonly #events: OutputEvents;
  readonly #backlog = new Backlog(LONGEST_PART);
  /** Credit is given back in portions of this size. */
  readonly #portion: number;
  /** What the sender may still send, and what it may be given back. */
  #allowed: number;
  #taken = 0;
  #silent = false;
  #ended = false;
  #drained = false;

  constructor(events: OutputEvents, window = STREAM_WINDOW, portion = window / 4) {
    this.#events = events;
    this.#allowed = window;
    this.#portion = portion;
  }

  /** Whether something waits for the listener. */
  get isHeld(): boolean {
    return this.#silent || !this.#backlog.isEmpty;
  }

  /** Bytes have arrived; none are the end. */
  receive(bytes: Uint8Array): void {
    expectThat(!this.#ended, 'output behind the end of a stream came out of it');
    if (bytes.length === 0) {
      this.end();
      return;
    }
    expectThat(bytes.length <= this.#allowed, 'more output than it was allowed to send came out of it');
    this.#allowed -= bytes.length;
    if (this.isHeld) this.#backlog.push(bytes);
    else this.#pass(bytes);
  }

  /** Nothing more arrives. */
  end(): void {
    this.#ended = true;
    this.#finish();
  }

  /** The listener wants to hear again. */
  resume(): void {
    this.#silent = false;
    this.#giveBack();
    while (!this.#silent) {
      const bytes = this.#backlog.shift();
      if (bytes === undefined) break;
      this.#pass(bytes);
    }
    this.#finish();
  }

  #pass(bytes: Uint8Array): void {
    this.#taken += bytes.length;
    this.#silent = !this.#events.deliver(bytes);
    if (!this.#silent) this.#giveBack();
  }

  /** The listener is done with what was delivered. */
  #giveBack(): void {
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
