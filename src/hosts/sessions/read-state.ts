import type { Caller } from '../../wire/exec.ts';

/** Each reader has its own position in the log. */
export type Reader = 'agent' | 'operator';

export function readerOf({ operator }: Caller): Reader {
  return operator === true ? 'operator' : 'agent';
}

/** How much of its output the owner of a session has received. */
export class ReadState {
  #linesRead = 0;
  #isWhole = false;

  get isWhole(): boolean {
    return this.#isWhole;
  }

  noteWhole(): void {
    this.#isWhole = true;
  }

  /** Notes that the owner has received a page; true if the pages cover all lines from the first to the last. */
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
