/** Rows of integers in one typed array: a million list items cost no objects. */
export class IntTable {
  readonly width: number;
  count = 0;
  /** All rows one after the other; another array after `add`. */
  cells: Int32Array;

  constructor(width: number) {
    this.width = width;
    this.cells = new Int32Array(width * 16);
  }

  /** Appends a row of zeros and gives its number. */
  add(): number {
    if ((this.count + 1) * this.width > this.cells.length) {
      const larger = new Int32Array(this.cells.length * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    return this.count++;
  }

  get(row: number, field: number): number {
    return this.cells[row * this.width + field]!;
  }

  set(row: number, field: number, value: number): void {
    this.cells[row * this.width + field] = value;
  }

  /** The first row whose `field` is at least `value`; the field must not fall from row to row. */
  lowerBound(field: number, value: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.get(middle, field) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What the block scanner found, in document order. Offsets are UTF-16 units of the whole text. */
export interface Blocks {
  readonly headings: IntTable;
  readonly items: IntTable;
  readonly codes: IntTable;
  readonly tables: IntTable;
}

/** Columns of `headings`. `LINE` is the start of its first line, `END` is past its last line's ending. */
export const HEADING = {
  LINE: 0,
  CONTENT: 1,
  CONTENT_END: 2,
  END: 3,
  LEVEL: 4,
  /** Containers around it. */ DEPTH: 5,
} as const;

/** Columns of `items`. Text is the first inline run (-1 when there is none), `LAST` the row after its last descendant. */
export const ITEM = {
  START: 0,
  LINE: 1,
  CONTENT: 2,
  /** Column at which its content stands. */
  COLUMN: 3,
  TEXT: 4,
  TEXT_END: 5,
  END: 6,
  PARENT: 7,
  LAST: 8,
  /** Block quotes around it. */
  QUOTES: 9,
} as const;

/** Columns of `codes`. A fenced block has `FENCE` >= 0, and `CLOSE` >= 0 when its closing fence is there. */
export const CODE = {
  LINE: 0,
  FENCE: 1,
  INFO: 2,
  INFO_END: 3,
  BODY: 4,
  BODY_END: 5,
  CLOSE: 6,
  END: 7,
  /** Columns of blanks that do not belong to the code on each line. */
  INDENT: 8,
  /** Blanks of a split tab that stand before the first line's text. */
  LEAD: 9,
  PARENT: 10,
  QUOTES: 11,
} as const;

/** Columns of `tables`: header line, its first cell, delimiter line, first body line, end. */
export const TABLE = { LINE: 0, HEAD: 1, HEAD_END: 2, DELIMITER: 3, BODY: 4, END: 5, PARENT: 6, QUOTES: 7 } as const;
