/** Rows of integers in one typed array, so that a million list items need no objects. */
export class IntTable {
  readonly width: number;
  count = 0;
  /** All rows in sequence. `add` may replace the array. */
  cells: Int32Array;

  constructor(width: number) {
    this.width = width;
    this.cells = new Int32Array(width * 16);
  }

  /** Appends a row of zeros and returns its number. */
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

  /** The first row whose `field` is at least `value`. The field must not decrease from row to row. */
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

/** The output of the block scanner, in document order. Offsets are UTF-16 units of the whole text. */
export interface Blocks {
  readonly headings: IntTable;
  readonly items: IntTable;
  readonly codes: IntTable;
  readonly tables: IntTable;
}

/** Columns of `headings`. `LINE` is the start of its first line, `END` is after its last line ending. */
export const HEADING = {
  LINE: 0,
  CONTENT: 1,
  CONTENT_END: 2,
  END: 3,
  LEVEL: 4,
  /** Containers around it. */ DEPTH: 5,
} as const;

/** Columns of `items`. `TEXT` is the first inline run, or -1; `LAST` is the row after the last descendant. */
export const ITEM = {
  START: 0,
  LINE: 1,
  CONTENT: 2,
  COLUMN: 3,
  TEXT: 4,
  TEXT_END: 5,
  END: 6,
  PARENT: 7,
  LAST: 8,
  QUOTES: 9,
} as const;

/** Columns of `codes`. `FENCE` is -1 for an indented block, `CLOSE` is -1 without a closing fence. */
export const CODE = {
  LINE: 0,
  FENCE: 1,
  INFO: 2,
  INFO_END: 3,
  BODY: 4,
  BODY_END: 5,
  CLOSE: 6,
  END: 7,
  /** Columns of indentation on each line that are not part of the code. */
  INDENT: 8,
  /** Spaces from a split tab before the text of the first line. */
  LEAD: 9,
  PARENT: 10,
  QUOTES: 11,
} as const;

/** Columns of `tables`: header line, its first cell, delimiter line, first body line, end. */
export const TABLE = { LINE: 0, HEAD: 1, HEAD_END: 2, DELIMITER: 3, BODY: 4, END: 5, PARENT: 6, QUOTES: 7 } as const;
