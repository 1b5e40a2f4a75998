/** Bytes that wait for a slow reader, in large blocks: single bytes cost no more memory than large pieces. */
export class Backlog {
  readonly #blockBytes: number;
  #blocks: Buffer[] = [];
  /** Length of the last block that is in use. */
  #end = 0;

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Keeps a copy. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      let block = this.#blocks.at(-1);
      if (block === undefined || this.#end === block.length) {
        block = Buffer.allocUnsafe(this.#blockBytes);
        this.#blocks.push(block);
        this.#end = 0;
      }
      const part = bytes.subarray(at, at + block.length - this.#end);
      block.set(part, this.#end);
      this.#end += part.length;
      at += part.length;
    }
  }

  /** The oldest block; undefined when there is none. */
  shift(): Uint8Array | undefined {
    const block = this.#blocks.shift();
    if (block === undefined) return undefined;
    return this.#blocks.length === 0 ? block.subarray(0, this.#end) : block;
  }
}
