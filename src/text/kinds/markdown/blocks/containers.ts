import type { LineCursor } from './line-cursor.ts';

const QUOTE_MARK = 62;
const QUOTE = 1;
const LIST_ITEM = 2;

/** The open block quotes and list items, outermost first; the current line continues `matched` of them. */
export class Containers {
  depth = 0;
  matched = 0;
  /** The innermost container is a list item with nothing after its marker. */
  emptyItem = false;
  readonly #kinds: number[] = [];
  readonly #offsets: number[] = [];
  readonly #owners: number[] = [];
  readonly #quotesUpTo: number[] = [];
  readonly #quoteDepths: number[] = [];

  get allMatched(): boolean {
    return this.matched === this.depth;
  }

  /** Row of the innermost list item, or -1. */
  get owner(): number {
    return this.depth === 0 ? -1 : this.#owners[this.depth - 1]!;
  }

  get quotes(): number {
    return this.depth === 0 ? 0 : this.#quotesUpTo[this.depth - 1]!;
  }

  get inItem(): boolean {
    return this.depth > 0 && this.#kinds[this.depth - 1] === LIST_ITEM;
  }

  /** Skips the marks and indentation of the containers that this line continues. */
  match(cursor: LineCursor): void {
    let index = 0;
    for (; index < this.depth; index++) {
      cursor.measure();
      if (cursor.blank) {
        index = this.#reachOfBlank(index);
        break;
      }
      if (this.#kinds[index] === QUOTE) {
        if (cursor.indent > 3 || cursor.text.charCodeAt(cursor.first) !== QUOTE_MARK) break;
        cursor.passQuoteMark();
      } else {
        if (cursor.indent < this.#offsets[index]!) break;
        cursor.advance(this.#offsets[index]!);
      }
    }
    this.matched = index;
    this.emptyItem = false;
  }

  /** A blank line continues all list items up to the next quote, except an item that is still empty. */
  #reachOfBlank(index: number): number {
    const before = index === 0 ? 0 : this.#quotesUpTo[index - 1]!;
    if (before < this.quotes) return this.#quoteDepths[before]!;
    return this.emptyItem && this.inItem ? this.depth - 1 : this.depth;
  }

  pushQuote(): void {
    this.#quoteDepths[this.quotes] = this.depth;
    this.#push(QUOTE, 0, this.owner, this.quotes + 1);
  }

  pushItem(offset: number, row: number): void {
    this.#push(LIST_ITEM, offset, row, this.quotes);
  }

  #push(kind: number, offset: number, owner: number, quotes: number): void {
    this.#kinds[this.depth] = kind;
    this.#offsets[this.depth] = offset;
    this.#owners[this.depth] = owner;
    this.#quotesUpTo[this.depth] = quotes;
    this.depth++;
    this.matched = this.depth;
  }

  /** Closes the innermost container. Returns its row if it is a list item, else -1. */
  pop(): number {
    const row = this.inItem ? this.owner : -1;
    this.depth--;
    return row;
  }
}
