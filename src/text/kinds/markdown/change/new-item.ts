import type { JsonValue } from '../../../json/value.ts';
import { type Insertion, type NewStep, type NewValue, type Refusal, refuse } from '../../../kind.ts';
import { ITEM } from '../blocks/records.ts';
import { itemText } from '../item-text.ts';
import type { MarkdownSource } from '../markdown-source.ts';
import { lineText, valueMembers } from './scalar.ts';

/** The arguments of an insertion: where the child goes, the steps to create below it, and the value. */
export interface NewChild {
  readonly where: Insertion;
  readonly rest: readonly NewStep[];
  readonly value: NewValue;
}

export interface NewItem {
  readonly key: string | undefined;
  readonly text: string;
  readonly children: readonly NewItem[];
}

/** The prefix of each line, the list marker, and the blanks after the marker. */
export interface ItemStyle {
  readonly prefix: string;
  readonly marker: string;
  readonly gap: string;
}

/** The item for `+key` or `+`; `rest` and the members of an object become nested bullets. */
export function newItem(key: string | undefined, rest: readonly NewStep[], value: NewValue): NewItem | Refusal {
  const [step, ...deeper] = rest;
  if (step !== undefined) {
    if (key === undefined)
      return refuse('not-writable', 'cannot create a field below an unnamed item; use +key instead of +');
    const child = newItem(step.name, deeper, value);
    return 'ok' in child ? child : { key, text: '', children: [child] };
  }
  const members = key === undefined ? undefined : valueMembers(value);
  if (members !== undefined) {
    const children = newItems(members);
    return 'ok' in children ? children : { key, text: '', children };
  }
  const text = lineText(value);
  if (typeof text !== 'string') return text;
  if (key === undefined && text.trim() === '') return refuse('parse-error', 'an item needs text');
  return { key, text, children: [] };
}

export function newItems(members: readonly (readonly [string, JsonValue])[]): NewItem[] | Refusal {
  const items: NewItem[] = [];
  for (const [name, json] of members) {
    const item = newItem(name, [], { json });
    if ('ok' in item) return item;
    items.push(item);
  }
  return items;
}

function itemLine(item: NewItem): string {
  if (item.key === undefined) return item.text;
  return item.text === '' ? item.key : `${item.key}: ${item.text}`;
}

export function itemLines(item: NewItem, style: ItemStyle): string[] {
  const inside = style.prefix + ' '.repeat(style.marker.length + style.gap.length);
  const nested: ItemStyle = {
    prefix: inside,
    marker: isOrdered(style.marker) ? '-' : style.marker,
    gap: isOrdered(style.marker) ? ' ' : style.gap,
  };
  return [
    style.prefix + style.marker + style.gap + itemLine(item),
    ...item.children.flatMap((child) => itemLines(child, nested)),
  ];
}

function isOrdered(marker: string): boolean {
  return marker.length > 1;
}

/** True if the items that start in `from`..`to` of the new text are exactly `wanted`, the first of them below `parent`. */
export function itemsReadBack(
  after: MarkdownSource,
  from: number,
  to: number,
  wanted: readonly NewItem[],
  parent: number,
): boolean {
  const { items } = after.blocks;
  let row = items.lowerBound(ITEM.START, from);
  const same = (item: NewItem, above: number): boolean => {
    if (row >= items.count || items.get(row, ITEM.START) >= to) return false;
    const here = row++;
    const owner = items.get(here, ITEM.PARENT);
    const line = itemLine(item);
    const source =
      items.get(here, ITEM.TEXT) < 0
        ? ''
        : after.text.slice(items.get(here, ITEM.TEXT), items.get(here, ITEM.TEXT_END));
    if (owner !== above || source !== line) return false;
    if (item.key !== undefined && item.text !== '') {
      const read = itemText(after.text, after.blocks, here);
      if (read.key?.text !== item.key || after.text.slice(read.key.valueStart, read.end) !== item.text) return false;
    }
    return item.children.every((child) => same(child, here));
  };
  return wanted.every((item) => same(item, parent)) && (row >= items.count || items.get(row, ITEM.START) >= to);
}
