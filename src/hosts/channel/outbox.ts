/** Sends the messages of a channel. Messages of one call keep their order, even when long ones go in parts. */
import type { Writable } from 'node:stream';
import { Fault } from '../../base/fault.ts';
import type { Message } from '../../wire/message.ts';
import type { ChannelBounds } from './bounds.ts';
import { LONGEST_MESSAGE } from './frames.ts';
import { FrameSender } from './frame-sender.ts';

/** The first byte of a value that is a result in bytes. Any other value is a message in JSON. */
export const BYTES = 0;

export class Outbox {
  readonly sender: FrameSender;
  readonly #bounds: ChannelBounds;
  readonly #stuck: () => void;
  /** Calls of which a long message is being sent. Made by the first one. */
  #queues: Map<number, Promise<void>> | undefined;
  /** Bytes of answers, events and logs among these messages, and of those that wait behind them. */
  #held = 0;

  /** `stuck`: the other end does not read. */
  constructor(output: Writable, bounds: ChannelBounds, stuck: () => void) {
    this.sender = new FrameSender(output);
    this.#bounds = bounds;
    this.#stuck = stuck;
  }

  /** Throws GATEWAY_TOO_LARGE, which names `what`, for a message that is too long. */
  send(id: number, message: Message, what: string): void {
    const payload = this.#payloadOf(message, what);
    this.post(id, payload.length, (sender) => sendPayload(sender, id, payload));
  }

  /** Sends a call of this end. Its bytes are not counted: several long calls do not mean that the other end does not read. */
  sendCall(id: number, message: Message, what: string): void {
    const payload = this.#payloadOf(message, what);
    this.post(id, 0, (sender) => sendPayload(sender, id, payload));
  }

  /** A result that is bytes. */
  sendBytes(id: number, bytes: Uint8Array, what: string): void {
    if (bytes.length >= this.#bounds.value) throw tooLarge(what, this.#bounds.value);
    this.post(id, bytes.length, (sender) => sender.value(id, Buffer.concat([Uint8Array.of(BYTES), bytes])));
  }

  /** Writes frames of a call, after all that was sent for it before. `bytes`: about how many count as held. */
  post(id: number, bytes: number, write: (sender: FrameSender) => void | Promise<void>): void {
    const before = this.#queues?.get(id);
    const done = before === undefined ? write(this.sender) : before.then(() => write(this.sender));
    if (done !== undefined) {
      this.#held += bytes;
      const left = (): void => {
        this.#held -= bytes;
        if (this.#queues?.get(id) === queue) this.#queues.delete(id);
      };
      const queue = done.then(left, () => {
        left();
        this.#stuck(); // the receiver would misread what follows
      });
      this.#queues ??= new Map();
      this.#queues.set(id, queue);
    }
    if (this.sender.waiting + this.#held > this.#bounds.waiting) this.#stuck();
  }

  #payloadOf(message: Message, what: string): Buffer {
    const payload = Buffer.from(JSON.stringify(message));
    if (payload.length > this.#bounds.value) throw tooLarge(what, this.#bounds.value);
    return payload;
  }
}

function sendPayload(sender: FrameSender, id: number, payload: Buffer): void | Promise<void> {
  return payload.length > LONGEST_MESSAGE ? sender.value(id, payload) : sender.raw('message', id, payload);
}

function tooLarge(what: string, most: number): Fault {
  return new Fault('GATEWAY_TOO_LARGE', `${what} has more than ${most} bytes`, {
    hint: 'send or request less per call, such as a part of the log, or use a file',
  });
}
