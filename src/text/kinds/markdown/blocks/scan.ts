/**
 * The block structure of a Markdown text in one pass: CommonMark's containers (block quotes, list items) and leaves
 * (headings, code, HTML, paragraphs) and GFM's tables. Time is linear in the text for any input: blanks of a line are
 * measured once, a blank line passes all open list items at once, a failed thematic break is remembered, and the end
 * of an HTML block is searched once per kind.
 */
import { delimiterColumns, isTableHeader } from './cells.ts';
import { endsRawHtml, htmlKind, htmlTerminator } from './html.ts';
import { type Blocks, CODE, HEADING, IntTable, ITEM, TABLE } from './records.ts';
import { referencesLength } from './reference.ts';
import {
  atxContentEnd,
  atxLevel,
  closesFence,
  fenceLength,
  isBlankUnit,
  markerLength,
  mayStartBlock,
  setextLevel,
  skipBlanks,
  SPACE,
  TAB,
  thematicReach,
  trimEnd,
} from './starts.ts';

const NONE = 0;
const PARAGRAPH = 1;
const FENCE = 2;
const INDENTED = 3;
const HTML = 4;
const GRID = 5;

const QUOTE = 1;
const LIST_ITEM = 2;

/** Scans `text` from `from` (past a byte order mark or frontmatter) to its end. */
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

  readonly #text: string;
  // The open containers, outermost first; `#matched` of them go on in this line.
  readonly #kinds: number[] = [];
  readonly #offsets: number[] = [];
  readonly #owners: number[] = [];
  readonly #quotesUpTo: number[] = [];
  readonly #quoteDepths: number[] = [];
  #depth = 0;
  #matched = 0;
  #emptyItem = false;

  // The line, and the reader's spot in it. A tab can be consumed in part: then `#at` stays on it and `#column` tells.
  #line = 0;
  #end = 0;
  #next = 0;
  #at = 0;
  #column = 0;
  #splitTab = false;
  #first = -1;
  #firstColumn = 0;
  #lastEnd = 0;

  // The open leaf.
  #leaf = NONE;
  #row = 0;
  #paragraphStart = 0;
  #paragraphLine = 0;
  #paragraphEnd = 0;
  #beforeLastLine = 0;
  #lastLineStart = 0;
  #lastLineText = 0;
  #paragraphLines: number[] | undefined;
  #paragraphOwner = -1;
  #fenceUnit = 0;
  #fenceLength = 0;
  #htmlKind = 0;
  readonly #terminators = [0, 0, 0, 0, 0, 0];

  #thematicUnit = 0;
  #thematicReach = -1;

  constructor(text: string) {
    this.#text = text;
  }

  run(from: number): void {
    const text = this.#text;
    this.#lastEnd = from;
    for (let at = from; at < text.length; at = this.#next) {
      const lf = text.indexOf('\n', at);
      this.#line = at;
      this.#next = lf < 0 ? text.length : lf + 1;
      this.#end = lf < 0 ? text.length : lf;
      if (this.#end > at && text.charCodeAt(this.#end - 1) === 13) this.#end--;
      this.#at = at;
      this.#column = 0;
      this.#first = -1;
      this.#readLine();
      if (this.#first < this.#end) this.#lastEnd = this.#next;
    }
    this.#matched = 0;
    this.#closeUnmatched();
    this.#closeLeaf();
  }

  #readLine(): void {
    this.#matchContainers();
    this.#measure();
    const wholly = this.#matched === this.#depth;
    if (wholly && this.#leaf > PARAGRAPH && this.#continueLeaf()) return;
    if (this.#startBlocks()) return;
    const blank = this.#first >= this.#end;
    if (this.#leaf === PARAGRAPH && !blank) {
      // A paragraph goes on, also lazily out of the containers that this line did not repeat.
      this.#extendParagraph();
      return;
    }
    this.#closeUnmatched();
    if (blank) {
      if (this.#leaf === PARAGRAPH || this.#leaf === GRID) this.#closeLeaf();
    } else if (this.#leaf === GRID) this.tables.set(this.#row, TABLE.END, this.#next);
    else this.#openParagraph();
  }

  // ── the line ──

  /** Finds the first unit that is no blank, and its column; measured once for each run of blanks. */
  #measure(): void {
    if (this.#first >= this.#at) return;
    const text = this.#text;
    let at = this.#at;
    let column = this.#column;
    for (; at < this.#end; at++) {
      const unit = text.charCodeAt(at);
      if (unit === SPACE) column++;
      else if (unit === TAB) column += 4 - (column % 4);
      else break;
    }
    this.#first = at;
    this.#firstColumn = column;
  }

  #advance(columns: number): void {
    const text = this.#text;
    while (columns > 0 && this.#at < this.#end) {
      const width = text.charCodeAt(this.#at) === TAB ? 4 - (this.#column % 4) : 1;
      this.#splitTab = width > columns;
      if (this.#splitTab) {
        this.#column += columns;
        return;
      }
      this.#column += width;
      this.#at++;
      columns -= width;
    }
  }

  #toText(): void {
    this.#at = this.#first;
    this.#column = this.#firstColumn;
  }

  // ── containers ──

  #matchContainers(): void {
    const text = this.#text;
    let index = 0;
    for (; index < this.#depth; index++) {
      this.#measure();
      if (this.#first >= this.#end) {
        index = this.#matchBlank(index);
        break;
      }
      const indent = this.#firstColumn - this.#column;
      if (this.#kinds[index] === QUOTE) {
        if (indent > 3 || text.charCodeAt(this.#first) !== 62) break;
        this.#passQuoteMark();
      } else {
        if (indent < this.#offsets[index]!) break;
        this.#advance(this.#offsets[index]!);
      }
    }
    this.#matched = index;
    this.#emptyItem = false;
  }

  /** How far a blank line reaches: through all list items up to the next quote, but not into an item still empty. */
  #matchBlank(index: number): number {
    const before = index === 0 ? 0 : this.#quotesUpTo[index - 1]!;
    if (before < this.#quotes()) return this.#quoteDepths[before]!;
    return this.#emptyItem && this.#kinds[this.#depth - 1] === LIST_ITEM ? this.#depth - 1 : this.#depth;
  }

  #passQuoteMark(): void {
    this.#toText();
    this.#at++;
    this.#column++;
    if (this.#at < this.#end && isBlankUnit(this.#text.charCodeAt(this.#at))) this.#advance(1);
  }

  #push(kind: number, offset: number, owner: number): void {
    const below = this.#depth === 0 ? 0 : this.#quotesUpTo[this.#depth - 1]!;
    const quotes = below + (kind === QUOTE ? 1 : 0);
    if (kind === QUOTE) this.#quoteDepths[below] = this.#depth;
    this.#kinds[this.#depth] = kind;
    this.#offsets[this.#depth] = offset;
    this.#owners[this.#depth] = owner;
    this.#quotesUpTo[this.#depth] = quotes;
    this.#depth++;
    this.#matched = this.#depth;
  }

  #owner(): number {
    return this.#depth === 0 ? -1 : this.#owners[this.#depth - 1]!;
  }

  #quotes(): number {
    return this.#depth === 0 ? 0 : this.#quotesUpTo[this.#depth - 1]!;
  }

  #closeUnmatched(): void {
    if (this.#matched === this.#depth) return;
    this.#closeLeaf();
    while (this.#depth > this.#matched) {
      this.#depth--;
      if (this.#kinds[this.#depth] === LIST_ITEM) {
        const item = this.#owners[this.#depth]!;
        this.items.set(item, ITEM.END, this.#lastEnd);
        this.items.set(item, ITEM.LAST, this.items.count);
      }
    }
  }

  /** Everything that a new block ends: containers that this line left, and the leaf. */
  #makeRoom(): void {
    this.#closeUnmatched();
    this.#closeLeaf();
  }

  #closeLeaf(): void {
    this.#leaf = NONE;
    this.#paragraphLines = undefined;
  }

  // ── leaves that go on ──

  /** True when the line belongs to the open code, HTML block; the leaf is closed when it does not. */
  #continueLeaf(): boolean {
    const text = this.#text;
    const blank = this.#first >= this.#end;
    const indent = this.#firstColumn - this.#column;
    if (this.#leaf === FENCE) {
      const closes = indent < 4 && closesFence(text, this.#first, this.#end, this.#fenceUnit, this.#fenceLength);
      this.codes.set(this.#row, CODE.END, this.#next);
      if (closes) {
        this.codes.set(this.#row, CODE.CLOSE, this.#first);
        this.#closeLeaf();
      } else this.codes.set(this.#row, CODE.BODY_END, this.#next);
      return true;
    }
    if (this.#leaf === INDENTED) {
      if (blank) return true;
      if (indent >= 4) {
        this.codes.set(this.#row, CODE.BODY_END, this.#next);
        this.codes.set(this.#row, CODE.END, this.#next);
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
    if (this.#htmlKind === 1) return endsRawHtml(this.#text, this.#at, this.#end);
    let found = this.#terminators[this.#htmlKind]!;
    if (found < this.#at) {
      const at = this.#text.indexOf(htmlTerminator(this.#htmlKind), this.#at);
      found = at < 0 ? this.#text.length + 1 : at;
      this.#terminators[this.#htmlKind] = found;
    }
    return found < this.#end;
  }

  // ── new blocks ──

  /** Opens what the line starts. True when it is a leaf that takes the whole line. */
  #startBlocks(): boolean {
    const text = this.#text;
    for (;;) {
      this.#measure();
      if (this.#first >= this.#end) return false;
      if (this.#firstColumn - this.#column >= 4) return this.#leaf !== PARAGRAPH && this.#openIndented();
      const at = this.#first;
      const unit = text.charCodeAt(at);
      if (!mayStartBlock(unit)) return false;
      if (unit === 62) {
        this.#makeRoom();
        this.#passQuoteMark();
        this.#push(QUOTE, 0, this.#owner());
        this.#lastEnd = this.#next;
        continue;
      }
      if (unit === 35) return this.#openHeading();
      if (unit === 96 || unit === 126) return this.#openFence();
      if (unit === 60) return this.#openHtml();
      if (this.#leaf === PARAGRAPH && this.#matched === this.#depth) {
        if (this.#closeAsHeading() || this.#turnIntoTable()) return true;
      }
      if ((unit === 45 || unit === 42 || unit === 95) && this.#isThematicBreak(unit)) {
        this.#makeRoom();
        return true;
      }
      if (!this.#openItem()) return false;
    }
  }

  #isThematicBreak(unit: number): boolean {
    if (unit === this.#thematicUnit && this.#first < this.#thematicReach && this.#thematicReach < this.#end) return false;
    this.#thematicUnit = unit;
    this.#thematicReach = thematicReach(this.#text, this.#first, this.#end);
    return this.#thematicReach === this.#end;
  }

  #openHeading(): boolean {
    const at = this.#first;
    const level = atxLevel(this.#text, at, this.#end);
    if (level === 0) return false;
    this.#makeRoom();
    const content = skipBlanks(this.#text, at + level, this.#end);
    this.#addHeading(this.#line, content, atxContentEnd(this.#text, content, this.#end), level);
    return true;
  }

  #addHeading(line: number, content: number, contentEnd: number, level: number): void {
    const row = this.headings.add();
    this.headings.set(row, HEADING.LINE, line);
    this.headings.set(row, HEADING.CONTENT, content);
    this.headings.set(row, HEADING.CONTENT_END, contentEnd);
    this.headings.set(row, HEADING.END, this.#next);
    this.headings.set(row, HEADING.LEVEL, level);
    this.headings.set(row, HEADING.DEPTH, this.#depth);
    this.#giveText(content, contentEnd);
  }

  /** A paragraph becomes a heading when the line underlines it and it holds more than link definitions. */
  #closeAsHeading(): boolean {
    const level = setextLevel(this.#text, this.#first, this.#end);
    if (level === 0) return false;
    if (this.#paragraphLines !== undefined && !this.#dropReferences(this.#paragraphLines)) return false;
    const start = this.#paragraphStart;
    const line = this.#paragraphLine;
    const end = this.#paragraphEnd;
    this.#closeLeaf();
    this.#addHeading(line, start, end, level);
    return true;
  }

  /** Moves the paragraph's start past its link definitions; false when nothing is left. */
  #dropReferences(lines: number[]): boolean {
    let joined = '';
    for (let i = 0; i < lines.length; i += 3) joined += `${i === 0 ? '' : '\n'}${this.#text.slice(lines[i + 1], lines[i + 2])}`;
    let length = referencesLength(joined);
    if (length === 0) return true;
    this.#paragraphLines = undefined;
    for (let i = 0; i < lines.length; i += 3) {
      if (length === 0) {
        this.#paragraphLine = lines[i]!;
        this.#paragraphStart = lines[i + 1]!;
        return true;
      }
      length = Math.max(0, length - (lines[i + 2]! - lines[i + 1]! + 1));
    }
    // Only definitions: the underline itself is the paragraph's first text.
    this.#paragraphLine = this.#line;
    this.#paragraphStart = this.#first;
    return false;
  }

  #turnIntoTable(): boolean {
    const text = this.#text;
    const columns = delimiterColumns(text, this.#first, this.#end);
    const headEnd = this.#paragraphEnd;
    if (columns === 0 || !isTableHeader(text, this.#lastLineText, headEnd, columns)) return false;
    this.#forgetLastLine();
    const line = this.#lastLineStart;
    const head = this.#lastLineText;
    this.#closeLeaf();
    const row = this.tables.add();
    this.tables.set(row, TABLE.LINE, line);
    this.tables.set(row, TABLE.HEAD, head);
    this.tables.set(row, TABLE.HEAD_END, headEnd);
    this.tables.set(row, TABLE.DELIMITER, this.#line);
    this.tables.set(row, TABLE.BODY, this.#next);
    this.tables.set(row, TABLE.END, this.#next);
    this.tables.set(row, TABLE.PARENT, this.#owner());
    this.tables.set(row, TABLE.QUOTES, this.#quotes());
    this.#leaf = GRID;
    this.#row = row;
    return true;
  }

  /** The paragraph's last line is a table's header: it is no text of the list item any more. */
  #forgetLastLine(): void {
    if (this.#paragraphOwner < 0) return;
    const only = this.#lastLineText === this.#paragraphStart;
    this.items.set(this.#paragraphOwner, ITEM.TEXT, only ? -1 : this.#paragraphStart);
    this.items.set(this.#paragraphOwner, ITEM.TEXT_END, only ? -1 : this.#beforeLastLine);
  }

  #openFence(): boolean {
    const text = this.#text;
    const at = this.#first;
    const length = fenceLength(text, at, this.#end);
    if (length === 0) return false;
    this.#makeRoom();
    const info = skipBlanks(text, at + length, this.#end);
    this.#fenceUnit = text.charCodeAt(at);
    this.#fenceLength = length;
    this.#openCode(FENCE, this.#next, this.#firstColumn);
    this.codes.set(this.#row, CODE.FENCE, at);
    this.codes.set(this.#row, CODE.INFO, info);
    this.codes.set(this.#row, CODE.INFO_END, trimEnd(text, info, this.#end));
    return true;
  }

  #openIndented(): boolean {
    this.#makeRoom();
    this.#splitTab = false;
    this.#advance(4);
    const split = this.#splitTab;
    this.#openCode(INDENTED, split ? this.#at + 1 : this.#at, this.#column);
    if (split) this.codes.set(this.#row, CODE.LEAD, 4 - (this.#column % 4));
    this.codes.set(this.#row, CODE.FENCE, -1);
    this.codes.set(this.#row, CODE.BODY_END, this.#next);
    return true;
  }

  #openCode(leaf: number, body: number, indent: number): void {
    const row = this.codes.add();
    this.codes.set(row, CODE.LINE, this.#line);
    this.codes.set(row, CODE.BODY, body);
    this.codes.set(row, CODE.BODY_END, body);
    this.codes.set(row, CODE.CLOSE, -1);
    this.codes.set(row, CODE.END, this.#next);
    this.codes.set(row, CODE.INDENT, indent);
    this.codes.set(row, CODE.PARENT, this.#owner());
    this.codes.set(row, CODE.QUOTES, this.#quotes());
    this.#leaf = leaf;
    this.#row = row;
  }

  #openHtml(): boolean {
    const kind = htmlKind(this.#text, this.#first, this.#end);
    if (kind === 0 || (kind === 7 && this.#leaf === PARAGRAPH)) return false;
    this.#makeRoom();
    this.#htmlKind = kind;
    // The terminator may not overlap the opening: `<!-->` is complete, `<!-` of it is not searched again.
    this.#at = this.#first + (kind === 2 ? 2 : kind < 6 ? 1 : 0);
    if (kind < 6 && this.#endsHtml()) return true;
    this.#leaf = HTML;
    return true;
  }

  /** Opens a list item; the rest of the line is its first line. */
  #openItem(): boolean {
    const text = this.#text;
    const marker = this.#first;
    const length = markerLength(text, marker, this.#end);
    if (length === 0) return false;
    const blank = skipBlanks(text, marker + length, this.#end) === this.#end;
    if (this.#leaf === PARAGRAPH && this.#matched === this.#depth) {
      if (blank || (length > 1 && !startsAtOne(text, marker, length))) return false;
    }
    const indent = this.#firstColumn - this.#column;
    this.#makeRoom();
    this.#lastEnd = this.#next;
    const parent = this.#owner();
    this.#toText();
    this.#at += length;
    this.#column += length;
    const markerEnd = this.#column;
    this.#measure();
    const gap = this.#firstColumn - markerEnd;
    const padding = blank || gap < 1 || gap > 4 ? 1 : gap;
    this.#advance(padding);
    const row = this.items.add();
    this.#push(LIST_ITEM, indent + length + padding, row);
    // Lists are the bulk of large files: their rows are written without a call for each number.
    const { cells } = this.items;
    const base = row * this.items.width;
    cells[base + ITEM.START] = marker;
    cells[base + ITEM.LINE] = this.#line;
    cells[base + ITEM.CONTENT] = this.#at;
    cells[base + ITEM.COLUMN] = markerEnd + padding;
    cells[base + ITEM.TEXT] = -1;
    cells[base + ITEM.TEXT_END] = -1;
    cells[base + ITEM.PARENT] = parent;
    cells[base + ITEM.QUOTES] = this.#quotes();
    this.#emptyItem = blank;
    return true;
  }

  // ── paragraphs ──

  #openParagraph(): void {
    const text = this.#text;
    this.#leaf = PARAGRAPH;
    this.#paragraphStart = this.#first;
    this.#paragraphLine = this.#line;
    this.#lastLineText = this.#first;
    this.#lastLineStart = this.#line;
    this.#paragraphEnd = trimEnd(text, this.#first, this.#end);
    this.#paragraphLines = text.charCodeAt(this.#first) === 91 ? [this.#line, this.#first, this.#paragraphEnd] : undefined;
    this.#paragraphOwner = this.#giveText(this.#paragraphStart, this.#paragraphEnd) ? this.#owner() : -1;
  }

  #extendParagraph(): void {
    this.#beforeLastLine = this.#paragraphEnd;
    this.#lastLineText = this.#first;
    this.#lastLineStart = this.#line;
    this.#paragraphEnd = trimEnd(this.#text, this.#first, this.#end);
    this.#paragraphLines?.push(this.#line, this.#first, this.#paragraphEnd);
    if (this.#paragraphOwner >= 0) this.items.set(this.#paragraphOwner, ITEM.TEXT_END, this.#paragraphEnd);
  }

  /** The first inline run of a list item, before any bullet nested in it, is the item's text. */
  #giveText(start: number, end: number): boolean {
    const owner = this.#depth > 0 && this.#kinds[this.#depth - 1] === LIST_ITEM ? this.#owner() : -1;
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
