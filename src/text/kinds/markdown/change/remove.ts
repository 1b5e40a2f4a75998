import { lineEnd, lineStart } from '../../../lines/position.ts';
import type { Splice } from '../../../lines/splice.ts';
import { type Change, refuse } from '../../../kind.ts';
import { CODE, HEADING, type IntTable, ITEM, TABLE } from '../blocks/records.ts';
import type { ItemPlace, MdPlace } from '../place.ts';
import type { MarkdownSource } from '../markdown-source.ts';
import { isFirstOnLine } from './line-prefix.ts';
import { verified } from './verify.ts';

export function remove(source: MarkdownSource, place: MdPlace): Change {
  const { codes, tables } = source.blocks;
  switch (place.what) {
    case 'root':
      return refuse('no-root', 'the whole document cannot be deleted; remove the file instead');
    case 'frontmatter':
    case 'yaml':
      return source.frontmatter
        ? source.frontmatter.remove(place)
        : refuse('unresolved', 'the file has no frontmatter');
    case 'section':
    case 'preamble':
      return removeLines(source, place.start, place.end);
    case 'item':
    case 'field':
      return removeItem(source, place);
    case 'code':
      return isFirstOnLine(source.text, place.anchor)
        ? removeLines(source, codes.get(place.row, CODE.LINE), codes.get(place.row, CODE.END))
        : refuse('not-writable', 'the code block starts on the line of its list item; delete the item');
    case 'table':
      return isFirstOnLine(source.text, place.start)
        ? removeLines(source, tables.get(place.row, TABLE.LINE), tables.get(place.row, TABLE.END))
        : refuse('not-writable', 'the table starts on the line of its list item; delete the item');
    case 'row':
      return removeRow(source, lineStart(source.text, place.start), lineEnd(source.text, place.end));
    case 'cell':
      return refuse('not-writable', 'a cell cannot be deleted; set it to an empty string');
    case 'checked':
      return refuse('not-writable', 'a task mark cannot be deleted; set it to true or false');
    default:
      return refuse('not-writable', `${place.name} is a group of blocks; delete the blocks one by one`);
  }
}

function removeItem(source: MarkdownSource, place: ItemPlace): Change {
  const { items } = source.blocks;
  if (!isFirstOnLine(source.text, items.get(place.row, ITEM.START))) {
    return refuse('not-writable', 'the item starts on the line of its parent item; delete the parent');
  }
  const blank = items.get(place.row, ITEM.QUOTES) > 0 ? /^[ \t\r\n>]*$/ : BLANK;
  return removeLines(source, items.get(place.row, ITEM.LINE), items.get(place.row, ITEM.END), blank);
}

/** Blank for Markdown: a form feed or a no-break space is text. */
const BLANK = /^[ \t\r\n]*$/;

function removeLines(source: MarkdownSource, start: number, end: number, blank = BLANK): Change {
  const from = Math.max(start, source.bodyStart);
  const splice = wouldJoinParagraphs(source, from, end)
    ? { start: from, end: endOfPreviousLine(source.text, end), text: '' }
    : lineRemoval(source.text, from, end, blank);
  return verified(source, [splice], () => true);
}

/** Never leaves a blank line, which would end the table. */
function removeRow(source: MarkdownSource, start: number, end: number): Change {
  return verified(source, [lineRemoval(source.text, start, end, BLANK)], () => true);
}

/** True if the text above and below would become one paragraph. Then the last line ending stays as a blank line. */
function wouldJoinParagraphs(source: MarkdownSource, start: number, end: number): boolean {
  const { text, blocks } = source;
  const isBlankLine = (at: number) => BLANK.test(text.slice(at, lineEnd(text, at)));
  if (start === source.bodyStart || end >= text.length || isBlankLine(end)) return false;
  const before = lineStart(text, start - 1);
  if (isBlankLine(before) || /^\s*>/.test(text.slice(before, start))) return false;
  const isClosed = hasAt(blocks.headings, HEADING.END, start) || hasAt(blocks.codes, CODE.END, start);
  return !isClosed && !beginsBlock(source, end);
}

function hasAt(table: IntTable, column: number, offset: number): boolean {
  const row = table.lowerBound(column, offset);
  return row < table.count && table.get(row, column) === offset;
}

function beginsBlock({ blocks }: MarkdownSource, line: number): boolean {
  return (
    hasAt(blocks.headings, HEADING.LINE, line) ||
    hasAt(blocks.items, ITEM.LINE, line) ||
    hasAt(blocks.codes, CODE.LINE, line) ||
    hasAt(blocks.tables, TABLE.LINE, line)
  );
}

function endOfPreviousLine(text: string, offset: number): number {
  return text.charCodeAt(offset - 2) === 13 ? offset - 2 : offset - 1;
}

/** Removes whole lines, and blank lines before them if one follows. A file without a final line ending stays without. */
function lineRemoval(text: string, start: number, end: number, blank: RegExp): Splice {
  const isBlankLine = (at: number) => blank.test(text.slice(at, lineEnd(text, at)));
  let from = start;
  if (isBlankLine(end)) {
    while (from > 0 && isBlankLine(lineStart(text, from - 1))) from = lineStart(text, from - 1);
  }
  if (end === text.length && text.charCodeAt(end - 1) !== 10 && from > 0) {
    from--;
    if (text.charCodeAt(from - 1) === 13) from--;
  }
  return { start: from, end, text: '' };
}
