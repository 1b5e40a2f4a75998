/**
 * The format of a tool's result that leaves a sandbox: a head in JSON, and long contents as raw bytes behind it, which need no
 * escaping.
 *   u32 length of the head · head · the contents whose lengths are in the head, in order
 */
import { isBounded } from './bounded-json.ts';
import { expectThat } from './protocol-violation.ts';

export const LENGTH_BYTES = 4;
const LONGEST_HEAD = 4 * 1024 * 1024;
const BOUNDS = { depth: 28, values: 50_000 };

/** Reads the contents behind the head, in order. */
export class Bodies {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next `count` bytes as text; throws a ProtocolViolation when there are fewer. */
  take(count: unknown, encoding: 'utf8' | 'base64'): string {
    expectThat(
      typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= this.left,
      'a result that is shorter than its head declares',
    );
    this.#at += count;
    return this.#bytes.toString(encoding, this.#at - count, this.#at);
  }
}

/** Throws a ProtocolViolation when there is no valid head. */
export function unpack(packed: Buffer): { readonly head: string; readonly bodies: Bodies } {
  expectThat(packed.length >= LENGTH_BYTES, 'a result without a head');
  const end = LENGTH_BYTES + packed.readUInt32LE();
  expectThat(end <= packed.length, 'a result that is shorter than its head');
  const head = packed.subarray(LENGTH_BYTES, end);
  expectThat(isWithinBounds(head), 'a result whose head is too large');
  return { head: head.toString('utf8'), bodies: new Bodies(packed.subarray(end)) };
}

/** Whether `unpack` accepts a head. The sender checks this first, so that only a hostile head is refused. */
export function isWithinBounds(head: Uint8Array): boolean {
  return head.length <= LONGEST_HEAD && isBounded(head, BOUNDS);
}
