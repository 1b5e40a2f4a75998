import { expectThat } from './protocol-violation.ts';
import { type FrameKind, LONGEST_PART } from './frames.ts';

export interface ValueBounds {
  /** Bytes of one value. */
  readonly value: number;
  /** Bytes of all values that are incomplete. */
  readonly gathered: number;
}

/** Puts values together from their parts. Exceeding the bounds is a protocol violation. */
export class ValueReader {
  readonly #bounds: ValueBounds;
  readonly #values = new Map<number, { readonly parts: Buffer[]; bytes: number }>();
  #gathered = 0;

  constructor(bounds: ValueBounds) {
    this.#bounds = bounds;
  }

  /** Returns the whole value with its last part. */
  receive(kind: FrameKind, id: number, payload: Uint8Array): Buffer | undefined {
    const isLast = kind === 'last';
    const value = this.#values.get(id) ?? { parts: [], bytes: 0 };
    // Each part is a buffer of its own, and a small one costs much more than its bytes.
    expectThat(isLast || payload.length === LONGEST_PART, 'a part that is too short');
    value.bytes += payload.length;
    this.#gathered += payload.length;
    const isBounded = value.bytes <= this.#bounds.value && this.#gathered <= this.#bounds.gathered;
    expectThat(isBounded, 'a value that is too long');
    value.parts.push(Buffer.from(payload));
    this.#values.set(id, value);
    if (!isLast) return undefined;
    this.#values.delete(id);
    this.#gathered -= value.bytes;
    return Buffer.concat(value.parts, value.bytes);
  }
}
