/** An incremental UTF-8 decoder that distinguishes characters from invalid bytes. */

const LONGEST = 4;

export class Utf8Character {
  readonly #bytes = new Uint8Array(LONGEST);
  #count = 0;
  #length = 0;

  /** Its bytes so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#count);
  }

  get isOpen(): boolean {
    return this.#count > 0;
  }

  /** Starts a character; false if no character starts with this byte. */
  begin(byte: number): boolean {
    this.#length = lengthOf(byte);
    this.#count = 0;
    if (this.#length === 0) return false;
    this.#bytes[this.#count++] = byte;
    return true;
  }

  /** Adds the next byte. */
  take(byte: number): 'open' | 'complete' | 'invalid' {
    if (!this.#fits(byte)) return 'invalid';
    this.#bytes[this.#count++] = byte;
    return this.#count === this.#length ? 'complete' : 'open';
  }

  /** Resets the state. */
  clear(): void {
    this.#count = 0;
  }

  /** The second byte reveals overlong forms, surrogates and code points above U+10FFFF. */
  #fits(byte: number): boolean {
    if (byte < 0x80 || byte > 0xbf) return false;
    if (this.#count !== 1) return true;
    const first = this.#bytes[0];
    if (first === 0xe0) return byte >= 0xa0;
    if (first === 0xed) return byte <= 0x9f;
    if (first === 0xf0) return byte >= 0x90;
    return first !== 0xf4 || byte <= 0x8f;
  }
}

function lengthOf(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}
