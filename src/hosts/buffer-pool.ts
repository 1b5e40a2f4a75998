/** Less is allocated in the usual way. */
const SHORTEST = 4096;
const MOST_FREE = 16;

/** Memory that is used again. New memory for each piece of a fast stream makes the garbage collector run many times a second. */
export class BufferPool {
  readonly #longest: number;
  readonly #own = new WeakSet<ArrayBufferLike>();
  readonly #free: ArrayBuffer[] = [];

  /** `longest`: bytes of the longest buffer, and of the memory of each. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The contents are not set. */
  allocate(bytes: number): Buffer<ArrayBuffer> {
    if (bytes < SHORTEST || bytes > this.#longest) return Buffer.allocUnsafe(bytes);
    let memory = this.#free.pop();
    if (memory === undefined) {
      memory = Buffer.allocUnsafeSlow(this.#longest).buffer;
      this.#own.add(memory);
    }
    return Buffer.from(memory, 0, bytes);
  }

  /** Nothing uses the buffer any more. Ignores one that is not from this pool. */
  release({ buffer }: Uint8Array): void {
    if (this.#free.length < MOST_FREE && this.#own.has(buffer)) this.#free.push(buffer as ArrayBuffer);
  }
}
