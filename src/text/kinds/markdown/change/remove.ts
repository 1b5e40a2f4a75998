/** Takes places out, with the lines that are theirs. */
import { lineEnd, lineStart } from '../../../lines/position.ts';
import type { Splice } from '../../../lines/splice.ts';
import { type Change, refuse } from '../../kind.ts';
import { CODE, ITEM, TABLE } from '../blocks/records.ts';
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
      return cut(source, lineStart(source.text, place.start), lineEnd(source.text, place.end));
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
  const blank = items.get(place.row, ITEM.QUOTES) > 0 ? /^[\s>]*$/ : BLANK;
  return cut(source, items.get(place.row, ITEM.LINE), items.get(place.row, ITEM.END), blank);
}

const BLANK = /^\s*$/;

function cut(source: Source, start: number, end: number, blank = BLANK): Change {
  return verified(source, [linesCut(source.text, Math.max(start, source.bodyStart), end, blank)], () => true);
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
