/**
 * The block structure of a Markdown text in one pass: CommonMark's container blocks (block quotes, list items), its leaf
 * blocks (headings, code, HTML, paragraphs) and GFM's tables. The time is linear in the text for any input: the scanner
 * measures the blanks of a line once, passes all open list items with one step on a blank line, remembers a failed
 * thematic break, and searches the end of an HTML block once per kind.
 */
import { delimiterColumns, isTableHeader } from './cells.ts';
import { Containers } from './containers.ts';
import { LineCursor } from './line-cursor.ts';
import { endsRawHtml, htmlKind, htmlTerminator } from './html.ts';
import { Paragraph } from './paragraph.ts';
import { type Blocks, CODE, HEADING, IntTable, ITEM, TABLE } from './records.ts';
import {
  atxContentEnd,
  atxLevel,
  closesFence,
  fenceLength,
  markerLength,
  mayStartBlock,
  setextLevel,
  skipBlanks,
  thematicReach,
  trimEnd,
} from './block-starts.ts';

const NONE = 0;
const PARAGRAPH = 1;
const FENCE = 2;
const INDENTED = 3;
const HTML = 4;
const TABLE_ROWS = 5;

/** Scans `text` from `from` (after a byte order mark or frontmatter) to its end. */
export function scanBlocks(text: string, from: number): Blocks {
  const scanner = new BlockScanner(text);
  scanner.run(from);
  return scanner;
}

class BlockScanner implements Blocks {
  readonly headings = new IntTable(6);
  readonly items = new IntTable(10);
  readonly codes = new IntTable(12);
  readonly tables = new IntTable(8);

  readonly #cursor: LineCursor;
  readonly #open = new Containers();
  /** The end of the last non-blank line, where closing list items end. */
  #lastEnd = 0;

  #leaf = NONE;
  #row = 0;
  readonly #paragraph = new Paragraph();
  #fenceUnit = 0;
  #fenceLength = 0;
  #htmlKind = 0;
  readonly #terminators = [0, 0, 0, 0, 0, 0];

  #thematicUnit = 0;
  #thematicReach = -1;

  constructor(text: string) {
    this.#cursor = new LineCursor(text);
  }

  run(from: number): void {
    const cursor = this.#cursor;
    this.#lastEnd = from;
    for (let at = from; at < cursor.text.length; at = cursor.next) {
      cursor.openLine(at);
      this.#readLine();
      if (!cursor.blank) this.#lastEnd = cursor.next;
    }
    this.#open.matched = 0;
    this.#closeUnmatched();
  }

  #readLine(): void {
    const cursor = this.#cursor;
    this.#open.match(cursor);
    cursor.measure();
    if (this.#leaf > PARAGRAPH && this.#open.allMatched && this.#continueLeaf()) return;
    if (this.#startBlocks()) return;
    if (this.#leaf === PARAGRAPH && !cursor.blank) {
      // A paragraph continuation, possibly a lazy one that does not repeat the containers.
      this.#extendParagraph();
      return;
    }
    this.#closeUnmatched();
    if (cursor.blank) {
      if (this.#leaf === PARAGRAPH || this.#leaf === TABLE_ROWS) this.#closeLeaf();
    } else if (this.#leaf === TABLE_ROWS) this.tables.set(this.#row, TABLE.END, cursor.next);
    else this.#openParagraph();
  }

  #closeUnmatched(): void {
    const open = this.#open;
    if (open.allMatched) return;
    this.#closeLeaf();
    while (!open.allMatched) {
      const item = open.pop();
      if (item < 0) continue;
      this.items.set(item, ITEM.END, this.#lastEnd);
      this.items.set(item, ITEM.LAST, this.items.count);
    }
  }

  /** Closes the containers that this line does not continue, and the open leaf block. */
  #closeForNewBlock(): void {
    this.#closeUnmatched();
    this.#closeLeaf();
  }

  #closeLeaf(): void {
    this.#leaf = NONE;
  }

  /** True if the line belongs to the open code or HTML block; otherwise closes the block. */
  #continueLeaf(): boolean {
    const text = this.#cursor.text;
    const blank = this.#cursor.blank;
    const indent = this.#cursor.indent;
    if (this.#leaf === FENCE) {
      const closes =
        indent < 4 && closesFence(text, this.#cursor.first, this.#cursor.end, this.#fenceUnit, this.#fenceLength);
      this.codes.set(this.#row, CODE.END, this.#cursor.next);
      if (closes) {
        this.codes.set(this.#row, CODE.CLOSE, this.#cursor.first);
        this.#closeLeaf();
      } else this.codes.set(this.#row, CODE.BODY_END, this.#cursor.next);
      return true;
    }
    if (this.#leaf === INDENTED) {
      if (blank) return true;
      if (indent >= 4) {
        this.codes.set(this.#row, CODE.BODY_END, this.#cursor.next);
        this.codes.set(this.#row, CODE.END, this.#cursor.next);
        return true;
      }
      this.#closeLeaf();
      return false;
    }
    if (this.#leaf === HTML) {
      if (this.#htmlKind >= 6 ? blank : this.#endsHtml()) {
        this.#closeLeaf();
        return this.#htmlKind < 6;
      }
      return true;
    }
    return false;
  }

  #endsHtml(): boolean {
    if (this.#htmlKind === 1) return endsRawHtml(this.#cursor.text, this.#cursor.at, this.#cursor.end);
    let found = this.#terminators[this.#htmlKind]!;
    if (found < this.#cursor.at) {
      const at = this.#cursor.text.indexOf(htmlTerminator(this.#htmlKind), this.#cursor.at);
      found = at < 0 ? this.#cursor.text.length + 1 : at;
      this.#terminators[this.#htmlKind] = found;
    }
    return found < this.#cursor.end;
  }

  /** Opens the blocks that the line starts. True if a leaf block takes the whole line. */
  #startBlocks(): boolean {
    const text = this.#cursor.text;
    for (;;) {
      this.#cursor.measure();
      if (this.#cursor.blank) return false;
      if (this.#cursor.indent >= 4) return this.#leaf !== PARAGRAPH && this.#openIndented();
      const at = this.#cursor.first;
      const unit = text.charCodeAt(at);
      if (!mayStartBlock(unit)) return false;
      if (unit === 62) {
        this.#closeForNewBlock();
        this.#cursor.passQuoteMark();
        this.#open.pushQuote();
        this.#lastEnd = this.#cursor.next;
        continue;
      }
      if (unit === 35) return this.#openHeading();
      if (unit === 96 || unit === 126) return this.#openFence();
      if (unit === 60) return this.#openHtml();
      if (this.#leaf === PARAGRAPH && this.#open.allMatched) {
        if (this.#closeAsHeading() || this.#turnIntoTable()) return true;
      }
      if ((unit === 45 || unit === 42 || unit === 95) && this.#isThematicBreak(unit)) {
        this.#closeForNewBlock();
        return true;
      }
      if (!this.#openItem()) return false;
    }
  }

  #isThematicBreak(unit: number): boolean {
    if (
      unit === this.#thematicUnit &&
      this.#cursor.first < this.#thematicReach &&
      this.#thematicReach < this.#cursor.end
    )
      return false;
    this.#thematicUnit = unit;
    this.#thematicReach = thematicReach(this.#cursor.text, this.#cursor.first, this.#cursor.end);
    return this.#thematicReach === this.#cursor.end;
  }

  #openHeading(): boolean {
    const at = this.#cursor.first;
    const level = atxLevel(this.#cursor.text, at, this.#cursor.end);
    if (level === 0) return false;
    this.#closeForNewBlock();
    const content = skipBlanks(this.#cursor.text, at + level, this.#cursor.end);
    this.#addHeading(this.#cursor.line, content, atxContentEnd(this.#cursor.text, content, this.#cursor.end), level);
    return true;
  }

  #addHeading(line: number, content: number, contentEnd: number, level: number): void {
    const row = this.headings.add();
    this.headings.set(row, HEADING.LINE, line);
    this.headings.set(row, HEADING.CONTENT, content);
    this.headings.set(row, HEADING.CONTENT_END, contentEnd);
    this.headings.set(row, HEADING.END, this.#cursor.next);
    this.headings.set(row, HEADING.LEVEL, level);
    this.headings.set(row, HEADING.DEPTH, this.#open.depth);
    this.#setItemText(content, contentEnd);
  }

  /** Turns the paragraph into a setext heading if the line underlines it and it has more than link definitions. */
  #closeAsHeading(): boolean {
    const level = setextLevel(this.#cursor.text, this.#cursor.first, this.#cursor.end);
    if (level === 0) return false;
    const paragraph = this.#paragraph;
    if (!paragraph.dropReferences(this.#cursor)) return false;
    this.#closeLeaf();
    this.#addHeading(paragraph.line, paragraph.start, paragraph.end, level);
    return true;
  }

  #turnIntoTable(): boolean {
    const text = this.#cursor.text;
    const columns = delimiterColumns(text, this.#cursor.first, this.#cursor.end);
    const { lastLine: line, lastLineStart: head, end: headEnd } = this.#paragraph;
    if (columns === 0 || !isTableHeader(text, head, headEnd, columns)) return false;
    this.#forgetLastLine();
    this.#closeLeaf();
    const row = this.tables.add();
    this.tables.set(row, TABLE.LINE, line);
    this.tables.set(row, TABLE.HEAD, head);
    this.tables.set(row, TABLE.HEAD_END, headEnd);
    this.tables.set(row, TABLE.DELIMITER, this.#cursor.line);
    this.tables.set(row, TABLE.BODY, this.#cursor.next);
    this.tables.set(row, TABLE.END, this.#cursor.next);
    this.tables.set(row, TABLE.PARENT, this.#open.owner);
    this.tables.set(row, TABLE.QUOTES, this.#open.quotes);
    this.#leaf = TABLE_ROWS;
    this.#row = row;
    return true;
  }

  /** Removes the paragraph's last line, now the header of a table, from the text of the list item. */
  #forgetLastLine(): void {
    const { owner, start, lastLineStart, endBefore } = this.#paragraph;
    if (owner < 0) return;
    const only = lastLineStart === start;
    this.items.set(owner, ITEM.TEXT, only ? -1 : start);
    this.items.set(owner, ITEM.TEXT_END, only ? -1 : endBefore);
  }

  #openFence(): boolean {
    const text = this.#cursor.text;
    const at = this.#cursor.first;
    const length = fenceLength(text, at, this.#cursor.end);
    if (length === 0) return false;
    this.#closeForNewBlock();
    const info = skipBlanks(text, at + length, this.#cursor.end);
    this.#fenceUnit = text.charCodeAt(at);
    this.#fenceLength = length;
    this.#openCode(FENCE, this.#cursor.next, this.#cursor.firstColumn);
    this.codes.set(this.#row, CODE.FENCE, at);
    this.codes.set(this.#row, CODE.INFO, info);
    this.codes.set(this.#row, CODE.INFO_END, trimEnd(text, info, this.#cursor.end));
    return true;
  }

  #openIndented(): boolean {
    this.#closeForNewBlock();
    this.#cursor.splitTab = false;
    this.#cursor.advance(4);
    const split = this.#cursor.splitTab;
    this.#openCode(INDENTED, split ? this.#cursor.at + 1 : this.#cursor.at, this.#cursor.column);
    if (split) this.codes.set(this.#row, CODE.LEAD, 4 - (this.#cursor.column % 4));
    this.codes.set(this.#row, CODE.FENCE, -1);
    this.codes.set(this.#row, CODE.BODY_END, this.#cursor.next);
    return true;
  }

  #openCode(leaf: number, body: number, indent: number): void {
    const row = this.codes.add();
    this.codes.set(row, CODE.LINE, this.#cursor.line);
    this.codes.set(row, CODE.BODY, body);
    this.codes.set(row, CODE.BODY_END, body);
    this.codes.set(row, CODE.CLOSE, -1);
    this.codes.set(row, CODE.END, this.#cursor.next);
    this.codes.set(row, CODE.INDENT, indent);
    this.codes.set(row, CODE.PARENT, this.#open.owner);
    this.codes.set(row, CODE.QUOTES, this.#open.quotes);
    this.#leaf = leaf;
    this.#row = row;
  }

  #openHtml(): boolean {
    const kind = htmlKind(this.#cursor.text, this.#cursor.first, this.#cursor.end);
    if (kind === 0 || (kind === 7 && this.#leaf === PARAGRAPH)) return false;
    this.#closeForNewBlock();
    this.#htmlKind = kind;
    // The terminator may not overlap the opening, except that `<!-->` is complete.
    this.#cursor.at = this.#cursor.first + (kind === 2 ? 2 : kind < 6 ? 1 : 0);
    if (kind < 6 && this.#endsHtml()) return true;
    this.#leaf = HTML;
    return true;
  }

  #openItem(): boolean {
    const text = this.#cursor.text;
    const marker = this.#cursor.first;
    const length = markerLength(text, marker, this.#cursor.end);
    if (length === 0) return false;
    const blank = skipBlanks(text, marker + length, this.#cursor.end) === this.#cursor.end;
    if (this.#leaf === PARAGRAPH && this.#open.allMatched) {
      if (blank || (length > 1 && !startsAtOne(text, marker, length))) return false;
    }
    const indent = this.#cursor.indent;
    this.#closeForNewBlock();
    this.#lastEnd = this.#cursor.next;
    const parent = this.#open.owner;
    this.#cursor.skipTo(length);
    const markerEnd = this.#cursor.column;
    this.#cursor.measure();
    const gap = this.#cursor.firstColumn - markerEnd;
    const padding = blank || gap < 1 || gap > 4 ? 1 : gap;
    this.#cursor.advance(padding);
    const row = this.items.add();
    this.#open.pushItem(indent + length + padding, row);
    // Large files are mostly lists, so write their rows without a call per number.
    const { cells } = this.items;
    const base = row * this.items.width;
    cells[base + ITEM.START] = marker;
    cells[base + ITEM.LINE] = this.#cursor.line;
    cells[base + ITEM.CONTENT] = this.#cursor.at;
    cells[base + ITEM.COLUMN] = markerEnd + padding;
    cells[base + ITEM.TEXT] = -1;
    cells[base + ITEM.TEXT_END] = -1;
    cells[base + ITEM.PARENT] = parent;
    cells[base + ITEM.QUOTES] = this.#open.quotes;
    this.#open.emptyItem = blank;
    return true;
  }

  #openParagraph(): void {
    const paragraph = this.#paragraph;
    this.#leaf = PARAGRAPH;
    paragraph.open(this.#cursor);
    paragraph.owner = this.#setItemText(paragraph.start, paragraph.end) ? this.#open.owner : -1;
  }

  #extendParagraph(): void {
    const paragraph = this.#paragraph;
    paragraph.extend(this.#cursor);
    if (paragraph.owner >= 0) this.items.set(paragraph.owner, ITEM.TEXT_END, paragraph.end);
  }

  /** Sets the text of the open list item: its first inline run before any nested bullet. */
  #setItemText(start: number, end: number): boolean {
    const owner = this.#open.inItem ? this.#open.owner : -1;
    if (owner < 0 || owner !== this.items.count - 1 || this.items.get(owner, ITEM.TEXT) >= 0) return false;
    this.items.set(owner, ITEM.TEXT, start);
    this.items.set(owner, ITEM.TEXT_END, end);
    return true;
  }
}

function startsAtOne(text: string, marker: number, length: number): boolean {
  for (let at = marker; at < marker + length - 2; at++) if (text.charCodeAt(at) !== 48) return false;
  return text.charCodeAt(marker + length - 2) === 49;
}
