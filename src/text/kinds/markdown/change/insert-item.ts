import { eolAt } from '../../../lines/eol.ts';
import { type Change, type Insertion, refuse } from '../../../kind.ts';
import { ITEM } from '../blocks/records.ts';
import type { BodyPlace } from '../place.ts';
import type { Source } from '../source.ts';
import { contentEnd, leadOf, leadsItsLine } from './lead.ts';
import { itemLines, itemsReadBack, type ItemStyle, type NewItem } from './new-item.ts';
import { verified } from './verify.ts';

/** The container of a new item, a section's body or an item, and the rows of the items in it. */
export type Home = { readonly siblings: readonly number[] } & (
  | { readonly body: BodyPlace }
  | { readonly item: number }
);

interface Plan {
  readonly at: number;
  readonly style: ItemStyle;
  /** What stands before and after the new lines. */
  readonly before: string;
  readonly after: string;
  readonly eol: string;
}

/** Puts a new item among its siblings, in their style. */
export function insertItem(source: Source, home: Home, where: Insertion, item: NewItem): Change {
  const plan =
    where.at === 'index' && where.index < home.siblings.length
      ? planBefore(source, home, where.index)
      : planEnd(source, home);
  if (plan === undefined)
    return refuse('not-writable', 'the item before which this one would go shares its line with the item around it');
  const text = plan.before + itemLines(item, plan.style).join(plan.eol) + plan.after;
  const { at } = plan;
  const parent = 'item' in home ? home.item : -1;
  return verified(source, [{ start: at, end: at, text }], (after) =>
    itemsReadBack(after, at, at + text.length, [item], parent),
  );
}

function planBefore(source: Source, home: Home, index: number): Plan | undefined {
  const { items } = source.blocks;
  const row = home.siblings[index]!;
  const start = items.get(row, ITEM.START);
  if (!leadsItsLine(source.text, start)) return undefined;
  const at = items.get(row, ITEM.LINE);
  const style = { ...styleOf(source, row), lead: source.text.slice(at, start) };
  const eol = eolAt(source.text, start);
  return {
    at,
    style,
    before: '',
    after: isLoose(source, home.siblings, index) ? eol + style.lead.trimEnd() + eol : eol,
    eol,
  };
}

function planEnd(source: Source, home: Home): Plan {
  const { text } = source;
  const { items } = source.blocks;
  const last = lastSibling(source, home);
  if (last >= 0) {
    const row = home.siblings[last]!;
    const style = nextStyle(styleOf(source, row));
    const blank = isLoose(source, home.siblings, last) ? style.lead.trimEnd() : undefined;
    return planAfter(text, items.get(row, ITEM.END), style, blank, items.get(row, ITEM.LINE));
  }
  if ('item' in home) {
    const around = styleOf(source, home.item);
    const content = items.get(home.item, ITEM.CONTENT);
    const gap = /[ \t]/.test(text[content - 1] ?? '') ? '' : ' ';
    const style = {
      lead: leadOf(text, content) + gap,
      marker: around.marker.length > 1 ? '-' : around.marker,
      gap: ' ',
    };
    return planAfter(text, items.get(home.item, ITEM.END), style, undefined, items.get(home.item, ITEM.LINE));
  }
  const { body } = home;
  const limit = body.section?.children[0]?.start ?? body.end;
  return planAfter(text, contentEnd(text, body.start, limit), { lead: '', marker: '-', gap: ' ' }, '', body.start);
}

/** The last sibling above the body's first sub-heading, -1 when there is none. */
function lastSibling(source: Source, home: Home): number {
  if ('item' in home) return home.siblings.length - 1;
  const limit = home.body.section?.children[0]?.start ?? home.body.end;
  const { items } = source.blocks;
  const inBody = (row: number) => items.get(row, ITEM.START) < limit;
  // A list of the section's own goes before one that is only quoted in it.
  const own = home.siblings.findLastIndex((row) => inBody(row) && items.get(row, ITEM.QUOTES) === 0);
  return own >= 0 ? own : home.siblings.findLastIndex(inBody);
}

function planAfter(text: string, at: number, style: ItemStyle, blank: string | undefined, neighbour: number): Plan {
  const eol = eolAt(text, neighbour);
  const unended = text.charCodeAt(at - 1) !== 10;
  const gap = blank === undefined ? '' : blank + eol;
  return { at, style, before: unended ? eol + gap : gap, after: unended ? '' : eol, eol };
}

/** Items with a blank line between them stay so. */
function isLoose(source: Source, siblings: readonly number[], index: number): boolean {
  const { items } = source.blocks;
  const [first, second] = index > 0 ? [siblings[index - 1], siblings[index]] : [siblings[0], siblings[1]];
  if (first === undefined || second === undefined || items.get(first, ITEM.QUOTES) !== items.get(second, ITEM.QUOTES))
    return false;
  const between = source.text.slice(items.get(first, ITEM.END), items.get(second, ITEM.LINE));
  return between !== '' && /^[\s>]*$/.test(between);
}

function styleOf(source: Source, row: number): ItemStyle {
  const { text } = source;
  const { items } = source.blocks;
  const start = items.get(row, ITEM.START);
  const content = items.get(row, ITEM.CONTENT);
  const [marker = '-'] = /^(?:[-*+]|\d{1,9}[.)])/.exec(text.slice(start, start + 10)) ?? [];
  const gap = text.slice(start + marker.length, content);
  return { lead: leadOf(text, start), marker, gap: /^[ \t]{1,4}$/.test(gap) ? gap : ' ' };
}

/** An ordered list counts on. */
function nextStyle(style: ItemStyle): ItemStyle {
  if (style.marker.length === 1) return style;
  const number = style.marker.slice(0, -1);
  const next = String(Number(number) + 1).padStart(number.length, '0');
  return next.length > 9 ? style : { ...style, marker: next + style.marker.slice(-1) };
}
