const FIRST_CAPACITY = 4096;

/** The contents are not set. */
export const allocateNew = (bytes: number): Buffer<ArrayBuffer> => Buffer.allocUnsafe(bytes);

/**
 * The newest bytes of a stream, by their position in it. It grows when the bytes that must stay (`keepFrom`) do not fit into
 * its usual size, and allocates only then.
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

  get start(): number {
    return this.#start;
  }

  /** The position after the newest byte, which is the number of bytes ever appended. */
  get end(): number {
    return this.#end;
  }

  /** Starts at a position other than 0: the bytes before it are elsewhere. */
  beginAt(position: number): void {
    this.#start = position;
    this.#end = position;
  }

  /** Appends the bytes and may overwrite those before `keepFrom`. */
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

  /** The longest contiguous piece from `position` on; valid until the next append. */
  piece(position: number, maximum: number): Buffer {
    const capacity = this.#buffer.length;
    const at = position % capacity;
    const length = Math.min(maximum, this.#end - position, capacity - at);
    return this.#buffer.subarray(at, at + length);
  }

  /** A copy of the bytes between two positions within `start` and `end`. */
  copy(from: number, to: number, allocate = allocateNew): Buffer {
    const out = allocate(to - from);
    this.fill(out, from);
    return out;
  }

  /** Fills `into` from a position on, up to the end, and returns the number of bytes. */
  fill(into: Uint8Array, from: number): number {
    let filled = 0;
    while (filled < into.length && from + filled < this.#end) {
      const piece = this.piece(from + filled, into.length - filled);
      into.set(piece, filled);
      filled += piece.length;
    }
    return filled;
  }

  /** Drops everything before `position` and frees its memory. */
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
    // A new buffer, because a disk write may still read the old one.
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
