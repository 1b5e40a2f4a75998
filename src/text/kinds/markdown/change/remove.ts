/** Takes places out, with the lines that are theirs. */
import { lineEnd, lineStart } from '../../../lines/position.ts';
import type { Splice } from '../../../lines/splice.ts';
import { type Change, refuse } from '../../../kind.ts';
import { CODE, HEADING, type IntTable, ITEM, TABLE } from '../blocks/records.ts';
import type { ItemPlace, MdPlace } from '../place.ts';
import type { Source } from '../source.ts';
import { leadsItsLine } from './lead.ts';
import { verified } from './verify.ts';

export function remove(source: Source, place: MdPlace): Change {
  const { codes, tables } = source.blocks;
  switch (place.what) {
    case 'root':
      return refuse('no-root', 'the whole file cannot be taken out of itself: delete the file');
    case 'frontmatter':
    case 'yaml':
      return source.frontmatter
        ? source.frontmatter.remove(place)
        : refuse('unresolved', 'the file has no frontmatter');
    case 'section':
    case 'preamble':
      return cut(source, place.start, place.end);
    case 'item':
    case 'field':
      return removeItem(source, place);
    case 'code':
      return leadsItsLine(source.text, place.anchor)
        ? cut(source, codes.get(place.row, CODE.LINE), codes.get(place.row, CODE.END))
        : refuse('not-writable', 'the code shares its first line with the item around it: delete the item');
    case 'table':
      return leadsItsLine(source.text, place.start)
        ? cut(source, tables.get(place.row, TABLE.LINE), tables.get(place.row, TABLE.END))
        : refuse('not-writable', 'the table shares its first line with the item around it: delete the item');
    case 'row':
      return cutRow(source, lineStart(source.text, place.start), lineEnd(source.text, place.end));
    case 'cell':
      return refuse('not-writable', 'a cell cannot be taken out of its row: set it to an empty text');
    case 'checked':
      return refuse('not-writable', 'the mark of a task is true or false: set it');
    default:
      return refuse('not-writable', `${place.name} is only a name for several blocks: delete them one by one.`);
  }
}

function removeItem(source: Source, place: ItemPlace): Change {
  const { items } = source.blocks;
  if (!leadsItsLine(source.text, items.get(place.row, ITEM.START))) {
    return refuse('not-writable', 'the item shares its line with the item around it: delete that one');
  }
  const blank = items.get(place.row, ITEM.QUOTES) > 0 ? /^[ \t\r\n>]*$/ : BLANK;
  return cut(source, items.get(place.row, ITEM.LINE), items.get(place.row, ITEM.END), blank);
}

/** What Markdown takes for blank: a form feed or a no-break space is text. */
const BLANK = /^[ \t\r\n]*$/;

function cut(source: Source, start: number, end: number, blank = BLANK): Change {
  const from = Math.max(start, source.bodyStart);
  const splice = joinsText(source, from, end)
    ? { start: from, end: endOfPreviousLine(source.text, end), text: '' }
    : linesCut(source.text, from, end, blank);
  return verified(source, [splice], () => true);
}

/** Rows close up: a blank line would end their table. */
function cutRow(source: Source, start: number, end: number): Change {
  return verified(source, [linesCut(source.text, start, end, BLANK)], () => true);
}

/** Text above and text below would become one paragraph; the last line ending stays then, as a blank line between them. */
function joinsText(source: Source, start: number, end: number): boolean {
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

function beginsBlock({ blocks }: Source, line: number): boolean {
  return (
    hasAt(blocks.headings, HEADING.LINE, line) ||
    hasAt(blocks.items, ITEM.LINE, line) ||
    hasAt(blocks.codes, CODE.LINE, line) ||
    hasAt(blocks.tables, TABLE.LINE, line)
  );
}

/** Where the line that ends at `offset` has its line ending. */
function endOfPreviousLine(text: string, offset: number): number {
  return text.charCodeAt(offset - 2) === 13 ? offset - 2 : offset - 1;
}

/** Whole lines; of blank lines on both sides those before go too, and a file without a last line ending stays so. */
function linesCut(text: string, start: number, end: number, blank: RegExp): Splice {
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
