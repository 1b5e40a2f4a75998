const FIRST_CAPACITY = 4096;

/**
 * The newest bytes of a stream, by their position in it. Appending copies and allocates only when the ring grows, and
 * it grows when the bytes that must stay (`keepFrom`) do not fit into its usual size.
 */
export class ByteRing {
  readonly #usual: number;
  #buffer: Buffer;
  #start = 0;
  #end = 0;

  constructor(usual: number) {
    this.#usual = usual;
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_CAPACITY, usual));
  }

  /** The position of the oldest byte that is here. */
  get start(): number {
    return this.#start;
  }

  /** The position after the newest byte: how many were ever appended. */
  get end(): number {
    return this.#end;
  }

  /** Begins at a position instead of the start: the bytes in front of it are elsewhere. */
  beginAt(position: number): void {
    this.#start = position;
    this.#end = position;
  }

  /** Takes the bytes; what is older than `keepFrom` may go for them. */
  append(bytes: Uint8Array, keepFrom: number): void {
    const end = this.#end + bytes.length;
    const wanted = Math.max(Math.min(end - this.#start, this.#usual), end - Math.max(keepFrom, this.#start));
    if (wanted > this.#buffer.length) this.#grow(wanted);
    const capacity = this.#buffer.length;
    const kept = bytes.length > capacity ? bytes.subarray(bytes.length - capacity) : bytes;
    const at = (end - kept.length) % capacity;
    const first = Math.min(kept.length, capacity - at);
    if (first === kept.length) this.#buffer.set(kept, at);
    else {
      this.#buffer.set(kept.subarray(0, first), at);
      this.#buffer.set(kept.subarray(first), 0);
    }
    this.#end = end;
    this.#start = Math.max(this.#start, end - capacity);
  }

  /** The longest piece from `position` on that lies in one part; it is only good until the next append. */
  piece(position: number, maximum: number): Buffer {
    const capacity = this.#buffer.length;
    const at = position % capacity;
    const length = Math.min(maximum, this.#end - position, capacity - at);
    return this.#buffer.subarray(at, at + length);
  }

  /** A copy of what stands between two positions, both within `start` and `end`. */
  copy(from: number, to: number): Buffer {
    const out = Buffer.allocUnsafe(to - from);
    this.fill(out, from);
    return out;
  }

  /** Fills `into` from a position on, as far as there are bytes, and says how many those were. */
  fill(into: Uint8Array, from: number): number {
    let filled = 0;
    while (filled < into.length && from + filled < this.#end) {
      const piece = this.piece(from + filled, into.length - filled);
      into.set(piece, filled);
      filled += piece.length;
    }
    return filled;
  }

  /** Lets everything older than `position` go, and the memory with it. */
  shrinkTo(position: number): void {
    const from = Math.max(position, this.#start);
    if (from === this.#start && this.#end - from === this.#buffer.length) return;
    const rest = this.copy(from, this.#end);
    const capacity = Math.max(1, rest.length);
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
    this.#start = from;
    this.#place(rest);
  }

  #grow(wanted: number): void {
    const rest = this.copy(this.#start, this.#end);
    let capacity = this.#buffer.length;
    while (capacity < wanted) capacity *= 2;
    // A write to the disk may still read the old memory, so it is left as it is.
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
    this.#place(rest);
  }

  #place(rest: Buffer): void {
    const capacity = this.#buffer.length;
    const at = this.#start % capacity;
    const first = Math.min(rest.length, capacity - at);
    rest.copy(this.#buffer, at, 0, first);
    rest.copy(this.#buffer, 0, first);
  }
}
