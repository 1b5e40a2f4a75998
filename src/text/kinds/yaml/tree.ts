/**
 * The syntax tree of a YAML text as one array: a row of eight cells for each value, in document order. A 20 MB file needs
 * a few arrays instead of a million objects. Both readers fill it; everything else reads it.
 */

/** Cells of a row. */
export const META = 0;
/** The span of the value. */
export const START = 1;
export const END = 2;
/** The start of the entry: its key, its dash, its `? `, or the value itself. */
export const ENTRY = 3;
/** The span of the key with its quotes, or -1. */
export const KEY = 4;
export const KEY_END = 5;
/** After `:` or `-`, tag and anchor: where a missing value would go. */
export const AFTER = 6;
/** The row after this row and its descendants. */
export const NEXT = 7;
const CELLS = 8;

/** Types of rows, the low bits of META. */
export const MAP = 1;
export const SEQ = 2;
export const SCALAR = 3;
export const ALIAS = 4;

/** Styles of collections, the middle bits of META. */
export const BLOCK = 0;
export const FLOW = 1;
/** Styles of scalars and of keys. */
export const EMPTY = 0;
export const PLAIN = 1;
export const SINGLE = 2;
export const DOUBLE = 3;
export const LITERAL = 4;
export const FOLDED = 5;
/** A flow entry or an explicit key without `:`. */
export const NO_COLON = 1 << 9;

export function meta(type: number, style: number, keyStyle = 0): number {
  return type | (style << 3) | (keyStyle << 6);
}

export const MAX_DEPTH = 256;

/** A scalar from the full reader that cannot be decoded from its span. */
export interface KnownScalar {
  readonly type: 'string' | 'number' | 'boolean' | 'null';
  /** Decoded strings, numbers as spelled. */
  readonly text: string;
}

interface AliasTarget {
  readonly name: string;
  readonly target: number;
}

export class Tree {
  readonly text: string;
  cells: Int32Array;
  count = 0;
  readonly documents: number[] = [];
  /** Scalars of the full reader by row; the scanner's are decoded from their span. */
  readonly scalars = new Map<number, KnownScalar>();
  /** Keys whose name is not the decoded text of their span. */
  readonly keyNames = new Map<number, string>();
  readonly aliases = new Map<number, AliasTarget>();
  /** How much longer the text is with every alias expanded. */
  added = 0;

  constructor(text: string) {
    this.text = text;
    // About one row per sixteen units. The operating system does not allocate unused pages.
    this.cells = new Int32Array(Math.max(8 * CELLS, (text.length >> 4) * CELLS));
  }

  /** Adds an empty scalar at `after`. */
  add(entry: number, key: number, keyEnd: number, keyStyle: number, after: number): number {
    const row = this.count++;
    const at = row * CELLS;
    if (at + CELLS > this.cells.length) this.grow();
    const { cells } = this;
    cells[at + META] = meta(SCALAR, EMPTY, keyStyle);
    cells[at + START] = after;
    cells[at + END] = after;
    cells[at + ENTRY] = entry;
    cells[at + KEY] = key;
    cells[at + KEY_END] = keyEnd;
    cells[at + AFTER] = after;
    cells[at + NEXT] = row + 1;
    return row;
  }

  fill(row: number, type: number, style: number, start: number, end: number): void {
    const at = row * CELLS;
    const { cells } = this;
    cells[at + META] = (cells[at + META]! & ~0x3f) | type | (style << 3);
    cells[at + START] = start;
    cells[at + END] = end;
  }

  set(row: number, cell: number, value: number): void {
    this.cells[row * CELLS + cell] = value;
  }

  get(row: number, cell: number): number {
    return this.cells[row * CELLS + cell]!;
  }

  type(row: number): number {
    return this.cells[row * CELLS]! & 7;
  }

  style(row: number): number {
    return (this.cells[row * CELLS]! >> 3) & 7;
  }

  keyStyle(row: number): number {
    return (this.cells[row * CELLS]! >> 6) & 7;
  }

  hasColon(row: number): boolean {
    return (this.cells[row * CELLS]! & NO_COLON) === 0;
  }

  isBlockCollection(row: number): boolean {
    const type = this.type(row);
    return (type === MAP || type === SEQ) && this.style(row) === BLOCK && this.get(row, NEXT) > row + 1;
  }

  column(row: number): number {
    return columnOf(this.text, this.get(row + 1, ENTRY));
  }

  /** A copy for a text with `distance` more units at the start. */
  shiftedBy(distance: number, text: string): Tree {
    const moved = new Tree(text);
    moved.cells = this.cells.slice();
    moved.count = this.count;
    moved.added = this.added;
    moved.documents.push(...this.documents);
    for (const name of ['scalars', 'keyNames', 'aliases'] as const) {
      for (const [row, known] of this[name]) (moved[name] as Map<number, unknown>).set(row, known);
    }
    for (let row = 0; row < this.count; row++) {
      for (const cell of [START, END, ENTRY, KEY, KEY_END, AFTER]) {
        const offset = this.get(row, cell);
        if (offset >= 0) moved.set(row, cell, offset + distance);
      }
    }
    return moved;
  }

  private grow(): void {
    const larger = new Int32Array(this.cells.length * 2);
    larger.set(this.cells);
    this.cells = larger;
  }
}

/** The column of an offset, from 0; a byte order mark does not count. */
export function columnOf(text: string, offset: number): number {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  return offset - start - (start === 0 && offset > 0 && text.charCodeAt(0) === 0xfeff ? 1 : 0);
}

/** Sets the offsets of a document's root. An empty root is after its `---`, or at the end of the text. */
export function placeRoot(tree: Tree, row: number, markerEnd: number): void {
  const empty = tree.type(row) === SCALAR && tree.style(row) === EMPTY;
  const at = empty ? (markerEnd < 0 ? tree.text.length : markerEnd) : tree.get(row, START);
  if (empty) tree.fill(row, SCALAR, EMPTY, at, at);
  tree.set(row, ENTRY, at);
  tree.set(row, AFTER, at);
}
