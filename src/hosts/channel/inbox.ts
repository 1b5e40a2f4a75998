/** Reads the messages of a channel, whole or in parts. */
import { isBounded } from './bounded-json.ts';
import type { ChannelBounds } from './bounds.ts';
import { ProtocolViolation, expectThat } from './protocol-violation.ts';
import type { FrameKind } from './frames.ts';
import { ValueReader } from './value-reader.ts';
import { BYTES } from './outbox.ts';

/** A message whose members are not checked, or the bytes of a result. */
export type Received = Readonly<Record<string, unknown>> | Uint8Array;

export class Inbox {
  readonly #bounds: ChannelBounds;
  /** Made by the first part. */
  #values: ValueReader | undefined;

  constructor(bounds: ChannelBounds) {
    this.#bounds = bounds;
  }

  message(payload: Uint8Array): Received {
    const { json, message } = this.#bounds;
    expectThat(payload.length <= message, `a message of ${payload.length} bytes`);
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
    expectThat(json === undefined || isBounded(bytes, json), 'a message that is too deep or has too many values');
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString('utf8'));
    } catch {
      throw new ProtocolViolation('a message that is not JSON');
    }
    expectThat(typeof value === 'object' && value !== null && !Array.isArray(value), 'a message that is not an object');
    return value as Readonly<Record<string, unknown>>;
  }

  /** A part of a long message; the message with its last part. */
  part(kind: FrameKind, id: number, payload: Uint8Array): Received | undefined {
    this.#values ??= new ValueReader(this.#bounds);
    const bytes = this.#values.receive(kind, id, payload);
    if (bytes === undefined) return undefined;
    return bytes[0] === BYTES ? bytes.subarray(1) : this.message(bytes);
  }
}
