import { decode, incompleteTail } from '../log/utf8.ts';

const NOTHING = Buffer.alloc(0);

/** Decodes UTF-8 piece by piece. Bytes that are not UTF-8 become U+FFFD, as if all pieces were decoded at once. */
export class OutputDecoder {
  /** The first bytes of a character whose others have not arrived. */
  #incomplete: Buffer = NOTHING;

  decode(piece: Buffer): string {
    const bytes = this.#incomplete.length === 0 ? piece : Buffer.concat([this.#incomplete, piece]);
    const end = bytes.length - incompleteTail(bytes);
    this.#incomplete = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end));
    return decode(bytes.subarray(0, end));
  }

  /** What stays of an incomplete character: U+FFFD. */
  end(): string {
    const text = decode(this.#incomplete);
    this.#incomplete = NOTHING;
    return text;
  }
}
