/** Scans the flow collections of the proven subset: any number of lines, each scalar and key on one line. */
import { endOfFlowPlain, endOfQuoted, isBlankAt, startsPlain } from './scan-tokens.ts';
import { AFTER, DOUBLE, FLOW, MAP, MAX_DEPTH, NEXT, PLAIN, SCALAR, SEQ, SINGLE, type Tree } from '../tree.ts';

export class FlowScanner {
  private readonly tree: Tree;
  private readonly text: string;
  /** Lines of a collection are indented deeper than this column. */
  private outer = -1;

  constructor(tree: Tree) {
    this.tree = tree;
    this.text = tree.text;
  }

  /** Reads the collection at `at` as the value of `row`. Returns its end, or -1. */
  collection(row: number, at: number, outer: number, depth: number): number {
    this.outer = outer;
    return this.nested(row, at, depth);
  }

  private nested(row: number, start: number, depth: number): number {
    if (depth >= MAX_DEPTH - 1) return -1;
    const { tree, text } = this;
    const isMap = text.charCodeAt(start) === 123;
    const close = isMap ? 125 : 93;
    tree.fill(row, isMap ? MAP : SEQ, FLOW, start, start);
    let at = this.skip(start + 1);
    while (at >= 0 && text.charCodeAt(at) !== close) {
      const child = isMap ? this.key(at) : tree.add(at, -1, -1, 0, at);
      if (child < 0) return -1;
      const value = isMap ? this.skip(tree.get(child, AFTER)) : at;
      at = value < 0 ? -1 : this.value(child, value, depth);
      if (at < 0) return -1;
      at = this.skip(at);
      if (at < 0) return -1;
      if (text.charCodeAt(at) === 44) at = this.skip(at + 1);
      else if (text.charCodeAt(at) !== close) return -1;
    }
    if (at < 0) return -1;
    tree.set(row, NEXT, tree.count);
    tree.fill(row, isMap ? MAP : SEQ, FLOW, start, at + 1);
    return at + 1;
  }

  /** Adds the entry with the key at `at`; the `:` must be on the line of the key. */
  private key(at: number): number {
    const { text } = this;
    const unit = text.charCodeAt(at);
    const quoted = unit === 34 || unit === 39;
    if (!quoted && !startsPlain(text, at, true)) return -1;
    const end = quoted ? endOfQuoted(text, at) : endOfFlowPlain(text, at);
    if (end < 0 || end - at > 1000 || (end - at === 2 && text.startsWith('<<', at))) return -1;
    let colon = end;
    while (text.charCodeAt(colon) === 32) colon++;
    if (text.charCodeAt(colon) !== 58 || (!quoted && !isBlankAt(text, colon + 1))) return -1;
    if (quoted && text.charCodeAt(colon + 1) === 9) return -1;
    return this.tree.add(at, at, end, quoted ? (unit === 34 ? DOUBLE : SINGLE) : PLAIN, colon + 1);
  }

  private value(row: number, at: number, depth: number): number {
    const { text, tree } = this;
    const unit = text.charCodeAt(at);
    if (unit === 91 || unit === 123) return this.nested(row, at, depth + 1);
    const quoted = unit === 34 || unit === 39;
    if (!quoted && !startsPlain(text, at, true)) return -1;
    const end = quoted ? endOfQuoted(text, at) : endOfFlowPlain(text, at);
    if (end < 0) return -1;
    tree.fill(row, SCALAR, quoted ? (unit === 34 ? DOUBLE : SINGLE) : PLAIN, at, end);
    return end;
  }

  private skip(from: number): number {
    const { text } = this;
    let at = from;
    let line = -1;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (unit === 32) at++;
      else if (unit === 10) line = ++at;
      else if (unit === 13) at++;
      else if (unit === 35) {
        if (at !== line && text.charCodeAt(at - 1) !== 32) return -1;
        if (line >= 0 && at - line <= this.outer) return -1;
        const newline = text.indexOf('\n', at);
        if (newline < 0) return -1;
        at = newline;
      } else {
        if (at >= text.length || unit === 9) return -1;
        if (line >= 0 && (at - line <= this.outer || at === line)) return -1;
        return at;
      }
    }
  }
}
