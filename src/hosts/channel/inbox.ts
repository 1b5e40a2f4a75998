/** Reads the messages of a channel, whole or in parts. What has not the shape of a message is a breach. */
import { isBounded } from './bounded-json.ts';
import type { ChannelBounds } from './bounds.ts';
import { Breach, expectThat } from './breach.ts';
import { LONGEST_PART } from './frames.ts';
import { BYTES } from './outbox.ts';

/** A message whose members are not checked, or the bytes of a result. */
export type Received = Readonly<Record<string, unknown>> | Uint8Array;

export class Inbox {
  readonly #bounds: ChannelBounds;
  readonly #values = new Map<number, { readonly parts: Buffer[]; bytes: number }>();
  #gathered = 0;

  constructor(bounds: ChannelBounds) {
    this.#bounds = bounds;
  }

  message(payload: Uint8Array): Received {
    const { json } = this.#bounds;
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
    expectThat(json === undefined || isBounded(bytes, json), 'a message that is too deep or has too many values');
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString('utf8'));
    } catch {
      throw new Breach('a message that is no JSON');
    }
    expectThat(typeof value === 'object' && value !== null && !Array.isArray(value), 'a message that is no object');
    return value as Readonly<Record<string, unknown>>;
  }

  /** A part of a long message; the message with its last part. */
  part(id: number, payload: Uint8Array, isLast: boolean): Received | undefined {
    const value = this.#values.get(id) ?? { parts: [], bytes: 0 };
    // Each part is kept by itself, and costs more than its bytes.
    expectThat(isLast || payload.length === LONGEST_PART, 'a part that is not whole');
    value.bytes += payload.length;
    this.#gathered += payload.length;
    expectThat(value.bytes <= this.#bounds.value && this.#gathered <= this.#bounds.gathered, 'a message without end');
    value.parts.push(Buffer.from(payload));
    this.#values.set(id, value);
    if (!isLast) return undefined;
    this.#values.delete(id);
    this.#gathered -= value.bytes;
    const bytes = Buffer.concat(value.parts, value.bytes);
    return bytes[0] === BYTES ? bytes.subarray(1) : this.message(bytes);
  }
}
