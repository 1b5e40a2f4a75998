/** How far the owner of a session has received its output. */
export class ReadState {
  #linesRead = 0;
  #isWhole = false;

  /** Whether the owner has got everything, from the first byte to the end. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The owner has got all output of a session that is over. */
  noteWhole(): void {
    this.#isWhole = true;
  }

  /** The owner has got a page; true when the pages from the first line on reach the last one. */
  notePage({
    offset,
    lines,
    totalLines,
  }: {
    readonly offset: number;
    readonly lines: number;
    readonly totalLines: number;
  }): boolean {
    if (offset <= this.#linesRead) this.#linesRead = Math.max(this.#linesRead, offset + lines);
    return this.#linesRead >= totalLines;
  }
}
