import { SPACE, TAB } from './block-starts.ts';

/** The position in the current line. If a tab is only partly consumed, `at` stays on it and only `column` advances. */
export class LineCursor {
  readonly text: string;
  /** The start of the line, the end of its content, and the start of the next line. */
  line = 0;
  end = 0;
  next = 0;
  at = 0;
  column = 0;
  splitTab = false;
  /** The first non-blank unit from `at` on, and its column; valid after `measure`. */
  first = -1;
  firstColumn = 0;

  constructor(text: string) {
    this.text = text;
  }

  openLine(at: number): void {
    const { text } = this;
    const lf = text.indexOf('\n', at);
    this.line = at;
    this.next = lf < 0 ? text.length : lf + 1;
    this.end = lf < 0 ? text.length : lf;
    if (this.end > at && text.charCodeAt(this.end - 1) === 13) this.end--;
    this.at = at;
    this.column = 0;
    this.first = -1;
  }

  /** Finds the first non-blank unit. Measures a run of blanks once, even if many containers share it. */
  measure(): void {
    if (this.first >= this.at) return;
    const { text, end } = this;
    let { at, column } = this;
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit === SPACE) column++;
      else if (unit === TAB) column += 4 - (column % 4);
      else break;
    }
    this.first = at;
    this.firstColumn = column;
  }

  /** Only blanks are left; valid after `measure`. */
  get blank(): boolean {
    return this.first >= this.end;
  }

  /** Columns of blanks before `first`; valid after `measure`. */
  get indent(): number {
    return this.firstColumn - this.column;
  }

  advance(columns: number): void {
    const { text } = this;
    while (columns > 0 && this.at < this.end) {
      const width = text.charCodeAt(this.at) === TAB ? 4 - (this.column % 4) : 1;
      this.splitTab = width > columns;
      if (this.splitTab) {
        this.column += columns;
        return;
      }
      this.column += width;
      this.at++;
      columns -= width;
    }
  }

  /** Moves to `units` after the first non-blank unit. */
  skipTo(units: number): void {
    this.at = this.first + units;
    this.column = this.firstColumn + units;
  }

  /** Moves past `>` and one blank after it. */
  passQuoteMark(): void {
    this.skipTo(1);
    const unit = this.at < this.end ? this.text.charCodeAt(this.at) : 0;
    if (unit === SPACE || unit === TAB) this.advance(1);
  }
}
