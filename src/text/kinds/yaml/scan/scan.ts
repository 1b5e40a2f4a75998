/**
 * The fast reader: one pass over the text that proves that all of it is in an unambiguous subset of YAML. Otherwise it
 * returns `unproven`, and the full reader reads the text.
 *
 *   text      = [BOM] document { `---` document }
 *   document  = { blank | comment } [ `---` ] [ block-map | block-seq | flow | scalar ]
 *   entry     = key `:` [ value ]             key: plain or quoted, on one line
 *   item      = `-` [ value | entry | item ]  also at the column of the key of the sequence
 *   value     = plain | quoted (one line each) | `|` or `>` block | flow collection
 *
 * Not in the subset: tabs outside quotes, comments and block text; anchors, aliases, tags, merge keys, `? `,
 * scalars over several lines, directives, text after `---`, `...`, indentation indicators, lone CR.
 */
import { FlowScanner } from './scan-flow.ts';
import { endOfPlain, endOfQuoted, endOfRestOfLine, isBlankAt, startsPlain } from './scan-tokens.ts';
import {
  BLOCK,
  DOUBLE,
  END,
  FOLDED,
  LITERAL,
  MAP,
  MAX_DEPTH,
  NEXT,
  PLAIN,
  placeRoot,
  SCALAR,
  SEQ,
  SINGLE,
  Tree,
} from '../tree.ts';

const MAX_KEY = 1000;
const NONE = -1;

export function scan(text: string): Tree | 'unproven' {
  if (text.includes('\r') && /\r(?!\n)/.test(text)) return 'unproven';
  const scanner = new BlockScanner(text);
  return scanner.run() ? scanner.tree : 'unproven';
}

class BlockScanner {
  readonly tree: Tree;
  private readonly text: string;
  private readonly flow: FlowScanner;
  /** Open block collections, outermost first. */
  private readonly rows: number[] = [];
  private readonly columns: number[] = [];
  private readonly types: number[] = [];
  private depth = 0;
  /** The row whose value may begin on a later line. */
  private pending = NONE;
  private pendingColumn = -1;
  private pendingIsKey = false;
  /** The end of the last value, where closing collections end. */
  private lastEnd = 0;

  constructor(text: string) {
    this.text = text;
    this.tree = new Tree(text);
    this.flow = new FlowScanner(this.tree);
  }

  run(): boolean {
    const { text } = this;
    const size = text.length;
    let root = this.begin();
    let marker = NONE;
    let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    while (at < size) {
      const line = at;
      let unit = text.charCodeAt(at);
      while (unit === 32) unit = text.charCodeAt(++at);
      if (unit === 10) at++;
      else if (unit === 13) at += 2;
      else if (unit === 35) at = this.nextLine(at);
      else if (at < size) {
        const column = at - line;
        if (column === 0 && this.isMarker(at)) {
          if (unit !== 45) return false;
          if (marker !== NONE || this.pending !== root) {
            this.finish(root, marker);
            root = this.begin();
          }
          marker = at + 3;
          at = endOfRestOfLine(text, marker);
        } else at = this.line(at, column);
        if (at < 0) return false;
      }
    }
    this.finish(root, marker);
    return true;
  }

  private begin(): number {
    const root = this.tree.add(0, NONE, NONE, 0, 0);
    this.tree.documents.push(root);
    this.wait(root, -1, false, 0);
    return root;
  }

  private finish(root: number, marker: number): void {
    while (this.depth > 0) this.close();
    placeRoot(this.tree, root, marker);
  }

  /** Reads a non-blank line. Returns the start of the next line, or -1. */
  private line(at: number, column: number): number {
    const dash = this.text.charCodeAt(at) === 45 && isBlankAt(this.text, at + 1);
    while (this.depth > 0 && this.columns[this.depth - 1]! > column) this.close();
    const { pending } = this;
    this.pending = NONE;
    const takes = column > this.pendingColumn || (dash && this.pendingIsKey && column === this.pendingColumn);
    if (pending !== NONE && takes) return this.valueOrEntry(pending, at, column, true);
    if (this.depth === 0 || this.columns[this.depth - 1] !== column) return NONE;
    if (dash) return this.types[this.depth - 1] === SEQ ? this.item(at, column) : NONE;
    if (this.types[this.depth - 1] === SEQ) {
      this.close();
      if (this.depth === 0 || this.columns[this.depth - 1] !== column) return NONE;
    }
    return this.valueOrEntry(NONE, at, column, true);
  }

  /**
   * Reads the value of `row` at `at`, or an entry of the open map if `row` is NONE. `mayNest`: a key or a dash may open
   * a collection at `column`.
   */
  private valueOrEntry(row: number, at: number, column: number, mayNest: boolean): number {
    const { text } = this;
    const unit = text.charCodeAt(at);
    let end: number;
    let style = PLAIN;
    let colon = NONE;
    if (unit === 34 || unit === 39) {
      end = endOfQuoted(text, at);
      if (end < 0) return NONE;
      style = unit === 34 ? DOUBLE : SINGLE;
      let next = end;
      while (text.charCodeAt(next) === 32) next++;
      if (text.charCodeAt(next) === 58) {
        if (!isBlankAt(text, next + 1)) return NONE;
        colon = next;
      }
    } else if (unit === 91 || unit === 123) {
      if (row === NONE) return NONE;
      return this.flowValue(row, at);
    } else if (unit === 124 || unit === 62) {
      if (row === NONE || this.isLineStart(at)) return NONE;
      return this.blockScalar(row, at);
    } else if (unit === 45 && isBlankAt(text, at + 1)) {
      if (row === NONE || !mayNest || !this.open(row, SEQ, at, column)) return NONE;
      return this.item(at, column);
    } else {
      if (!startsPlain(text, at, false)) return NONE;
      const found = endOfPlain(text, at);
      if (found < 0) return NONE;
      end = found;
      let next = end;
      while (text.charCodeAt(next) === 32) next++;
      if (text.charCodeAt(next) === 58) colon = next;
    }
    if (colon === NONE) return row === NONE ? NONE : this.scalar(row, style, at, end);
    if (!mayNest || (row !== NONE && !this.open(row, MAP, at, column))) return NONE;
    return this.entry(at, end, style, colon + 1, column);
  }

  private entry(key: number, keyEnd: number, keyStyle: number, after: number, column: number): number {
    const { text } = this;
    if (keyEnd - key > MAX_KEY || (keyEnd - key === 2 && text.startsWith('<<', key))) return NONE;
    const row = this.tree.add(key, key, keyEnd, keyStyle, after);
    this.lastEnd = after;
    const value = this.valueStart(after);
    if (value < 0) return this.wait(row, column, true, -value);
    return this.valueOrEntry(row, value, NONE, false);
  }

  private item(dash: number, column: number): number {
    const row = this.tree.add(dash, NONE, NONE, 0, dash + 1);
    this.lastEnd = dash + 1;
    const value = this.valueStart(dash + 1);
    if (value < 0) return this.wait(row, column, false, -value);
    return this.valueOrEntry(row, value, column + value - dash, true);
  }

  /** The start of the value on this line; without one, the negated start of the next line. */
  private valueStart(after: number): number {
    const { text } = this;
    let at = after;
    while (text.charCodeAt(at) === 32) at++;
    const unit = text.charCodeAt(at);
    if (unit === 10) return -at - 1;
    if (unit === 13) return -at - 2;
    if (at >= text.length) return -text.length;
    if (unit === 35 && at > after) return -this.nextLine(at);
    return at;
  }

  private wait(row: number, column: number, isKey: boolean, next: number): number {
    this.pending = row;
    this.pendingColumn = column;
    this.pendingIsKey = isKey;
    return next;
  }

  private scalar(row: number, style: number, start: number, end: number): number {
    this.tree.fill(row, SCALAR, style, start, end);
    this.lastEnd = end;
    return endOfRestOfLine(this.text, end);
  }

  private flowValue(row: number, at: number): number {
    const end = this.flow.collection(row, at, this.depth === 0 ? -1 : this.columns[this.depth - 1]!, this.depth);
    if (end < 0) return NONE;
    this.lastEnd = end;
    return endOfRestOfLine(this.text, end);
  }

  /** A literal or folded scalar; its indentation is that of its first line. */
  private blockScalar(row: number, start: number): number {
    const { text } = this;
    const size = text.length;
    let at = start + 1;
    const chomp = text.charCodeAt(at);
    if (chomp === 43 || chomp === 45) at++;
    at = endOfRestOfLine(text, at);
    if (at < 0) return NONE;
    const outer = this.depth === 0 ? -1 : this.columns[this.depth - 1]!;
    let indent = NONE;
    let widestBlank = 0;
    let end = NONE;
    while (at < size) {
      const line = at;
      while (text.charCodeAt(at) === 32) at++;
      const unit = text.charCodeAt(at);
      const column = at - line;
      if (unit === 9 && (indent === NONE || column < indent)) return NONE;
      if (unit === 10 || unit === 13 || at >= size) {
        if (indent !== NONE && column > indent) return NONE;
        widestBlank = Math.max(widestBlank, column);
        if (chomp === 43 && at < size) end = at;
      } else {
        if (indent === NONE && column > outer) {
          if (widestBlank > column) return NONE;
          indent = column;
        }
        if (indent === NONE || column < indent) {
          at = line;
          break;
        }
        const newline = text.indexOf('\n', at);
        at = newline < 0 ? size : newline - (text.charCodeAt(newline - 1) === 13 ? 1 : 0);
        end = at;
      }
      if (at < size) at += text.charCodeAt(at) === 13 ? 2 : 1;
    }
    if (indent === NONE) return NONE;
    this.tree.fill(row, SCALAR, text.charCodeAt(start) === 124 ? LITERAL : FOLDED, start, end);
    this.lastEnd = end;
    return at;
  }

  private open(row: number, type: number, at: number, column: number): boolean {
    if (this.depth >= MAX_DEPTH - 1) return false;
    this.tree.fill(row, type, BLOCK, at, at);
    this.rows[this.depth] = row;
    this.columns[this.depth] = column;
    this.types[this.depth] = type;
    this.depth++;
    return true;
  }

  private close(): void {
    const row = this.rows[--this.depth]!;
    this.tree.set(row, END, this.lastEnd);
    this.tree.set(row, NEXT, this.tree.count);
  }

  private isMarker(at: number): boolean {
    const { text } = this;
    if (text.charCodeAt(at) === 37) return true;
    return (text.startsWith('---', at) || text.startsWith('...', at)) && isBlankAt(text, at + 3, true);
  }

  private isLineStart(at: number): boolean {
    let before = at - 1;
    while (before >= 0 && this.text.charCodeAt(before) === 32) before--;
    return before < 0 || this.text.charCodeAt(before) === 10 || this.text.charCodeAt(before) === 0xfeff;
  }

  private nextLine(at: number): number {
    const newline = this.text.indexOf('\n', at);
    return newline < 0 ? this.text.length : newline + 1;
  }
}
