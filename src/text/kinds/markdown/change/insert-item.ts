import { eolAt } from '../../../lines/eol.ts';
import { type Change, type Insertion, refuse } from '../../../kind.ts';
import { ITEM } from '../blocks/records.ts';
import type { BodyPlace } from '../place.ts';
import type { MarkdownSource } from '../markdown-source.ts';
import { contentEnd, linePrefix, isFirstOnLine } from './line-prefix.ts';
import { itemLines, itemsReadBack, type ItemStyle, type NewItem } from './new-item.ts';
import { verified } from './verify.ts';

/** The body or item that takes a new item, and the rows of the items in it. */
export type ItemContainer = { readonly siblings: readonly number[] } & (
  | { readonly body: BodyPlace }
  | { readonly item: number }
);

interface Plan {
  readonly at: number;
  readonly style: ItemStyle;
  /** Line endings and blank lines around the new lines. */
  readonly before: string;
  readonly after: string;
  readonly eol: string;
}

export function insertItem(source: MarkdownSource, container: ItemContainer, where: Insertion, item: NewItem): Change {
  const plan =
    where.at === 'index' && where.index < container.siblings.length
      ? planBefore(source, container, where.index)
      : planEnd(source, container);
  if (plan === undefined)
    return refuse('not-writable', 'cannot insert here: the next item shares its line with its parent item');
  const text = plan.before + itemLines(item, plan.style).join(plan.eol) + plan.after;
  const { at } = plan;
  const parent = 'item' in container ? container.item : -1;
  return verified(source, [{ start: at, end: at, text }], (after) =>
    itemsReadBack(after, at, at + text.length, [item], parent),
  );
}

function planBefore(source: MarkdownSource, container: ItemContainer, index: number): Plan | undefined {
  const { items } = source.blocks;
  const row = container.siblings[index]!;
  const start = items.get(row, ITEM.START);
  if (!isFirstOnLine(source.text, start)) return undefined;
  const at = items.get(row, ITEM.LINE);
  const style = { ...styleOf(source, row), prefix: source.text.slice(at, start) };
  const eol = eolAt(source.text, start);
  return {
    at,
    style,
    before: '',
    after: isLoose(source, container.siblings, index) ? eol + style.prefix.trimEnd() + eol : eol,
    eol,
  };
}

function planEnd(source: MarkdownSource, container: ItemContainer): Plan {
  const { text } = source;
  const { items } = source.blocks;
  const last = lastSibling(source, container);
  if (last >= 0) {
    const row = container.siblings[last]!;
    const style = nextStyle(styleOf(source, row));
    const blank = isLoose(source, container.siblings, last) ? style.prefix.trimEnd() : undefined;
    return planAfter(text, items.get(row, ITEM.END), style, blank, items.get(row, ITEM.LINE));
  }
  if ('item' in container) {
    const around = styleOf(source, container.item);
    const content = items.get(container.item, ITEM.CONTENT);
    const gap = /[ \t]/.test(text[content - 1] ?? '') ? '' : ' ';
    const style = {
      prefix: linePrefix(text, content) + gap,
      marker: around.marker.length > 1 ? '-' : around.marker,
      gap: ' ',
    };
    return planAfter(text, items.get(container.item, ITEM.END), style, undefined, items.get(container.item, ITEM.LINE));
  }
  const { body } = container;
  const limit = body.section?.children[0]?.start ?? body.end;
  return planAfter(text, contentEnd(text, body.start, limit), { prefix: '', marker: '-', gap: ' ' }, '', body.start);
}

/** The last sibling above the body's first sub-heading, or -1. */
function lastSibling(source: MarkdownSource, container: ItemContainer): number {
  if ('item' in container) return container.siblings.length - 1;
  const limit = container.body.section?.children[0]?.start ?? container.body.end;
  const { items } = source.blocks;
  const inBody = (row: number) => items.get(row, ITEM.START) < limit;
  // Prefer a list of the section itself to a list in a quote.
  const own = container.siblings.findLastIndex((row) => inBody(row) && items.get(row, ITEM.QUOTES) === 0);
  return own >= 0 ? own : container.siblings.findLastIndex(inBody);
}

function planAfter(text: string, at: number, style: ItemStyle, blank: string | undefined, neighbour: number): Plan {
  const eol = eolAt(text, neighbour);
  const unterminated = text.charCodeAt(at - 1) !== 10;
  const gap = blank === undefined ? '' : blank + eol;
  return { at, style, before: unterminated ? eol + gap : gap, after: unterminated ? '' : eol, eol };
}

/** True if blank lines separate the items at `index`. */
function isLoose(source: MarkdownSource, siblings: readonly number[], index: number): boolean {
  const { items } = source.blocks;
  const [first, second] = index > 0 ? [siblings[index - 1], siblings[index]] : [siblings[0], siblings[1]];
  if (first === undefined || second === undefined || items.get(first, ITEM.QUOTES) !== items.get(second, ITEM.QUOTES))
    return false;
  const between = source.text.slice(items.get(first, ITEM.END), items.get(second, ITEM.LINE));
  return between !== '' && /^[\s>]*$/.test(between);
}

function styleOf(source: MarkdownSource, row: number): ItemStyle {
  const { text } = source;
  const { items } = source.blocks;
  const start = items.get(row, ITEM.START);
  const content = items.get(row, ITEM.CONTENT);
  const [marker = '-'] = /^(?:[-*+]|\d{1,9}[.)])/.exec(text.slice(start, start + 10)) ?? [];
  const gap = text.slice(start + marker.length, content);
  return { prefix: linePrefix(text, start), marker, gap: /^[ \t]{1,4}$/.test(gap) ? gap : ' ' };
}

function nextStyle(style: ItemStyle): ItemStyle {
  if (style.marker.length === 1) return style;
  const number = style.marker.slice(0, -1);
  const next = String(Number(number) + 1).padStart(number.length, '0');
  return next.length > 9 ? style : { ...style, marker: next + style.marker.slice(-1) };
}
