/**
 * The result of a tool as it leaves a sandbox: what is long stands as bytes behind a head in JSON, so that nobody escapes it
 * or reads it letter by letter.
 *   u32 length of the head · head · the contents of which the head only tells the length, one after the other
 */
import { isBounded } from './bounded-json.ts';
import { expectThat } from './breach.ts';

export const LENGTH_BYTES = 4;
const LONGEST_HEAD = 4 * 1024 * 1024;
const BOUNDS = { depth: 28, values: 50_000 };

/** What stands behind the head, taken from its beginning. */
export class Bodies {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next so many bytes, as text; throws a Breach when there are not as many. */
  take(count: unknown, encoding: 'utf8' | 'base64'): string {
    expectThat(
      typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= this.left,
      'a result with less than it says came out of it',
    );
    this.#at += count;
    return this.#bytes.toString(encoding, this.#at - count, this.#at);
  }
}

/** The head's text, and what stands behind it; throws a Breach when there is no head. */
export function unpack(packed: Buffer): { readonly head: string; readonly bodies: Bodies } {
  expectThat(packed.length >= LENGTH_BYTES, 'a result without a head came out of it');
  const end = LENGTH_BYTES + packed.readUInt32LE();
  expectThat(end <= packed.length, 'a result that is shorter than its head came out of it');
  const head = packed.subarray(LENGTH_BYTES, end);
  expectThat(isModest(head), 'a result without bounds came out of it');
  return { head: head.toString('utf8'), bodies: new Bodies(packed.subarray(end)) };
}

/** Whether a head is one that is read; whoever packs one asks before, so that only a hostile one is refused. */
export function isModest(head: Uint8Array): boolean {
  return head.length <= LONGEST_HEAD && isBounded(head, BOUNDS);
}
