/** Sections and list items as places. */
import type { Slot } from '../../kind.ts';
import { ITEM } from './blocks/records.ts';
import { withoutMarks } from './inline.ts';
import { type ItemText, itemSlug, itemText } from './item-text.ts';
import type { Section } from './outline.ts';
import type { BodyPlace, ItemPlace } from './place.ts';
import { slugify } from './slug.ts';
import type { Source } from './source.ts';

export function rootPlace(source: Source): BodyPlace {
  const { text } = source;
  return {
    what: 'root',
    shape: 'root',
    name: '',
    ordinal: 0,
    descriptor: 'md-file',
    start: 0,
    end: text.length,
    anchor: 0,
    bodyStart: source.bodyStart,
    get sections() {
      return source.outline.sections;
    },
  };
}

/** The text before the first section, undefined when there is none. */
export function preamblePlace(source: Source): BodyPlace | undefined {
  const start = source.bodyStart;
  const end = source.outline.preambleEnd;
  const offset = source.text.slice(start, end).search(/\S/);
  if (offset < 0) return undefined;
  const anchor = start + offset;
  return {
    what: 'preamble',
    shape: 'node',
    name: '[preamble]',
    token: true,
    ordinal: 0,
    descriptor: 'md-block',
    start,
    end,
    anchor,
    bodyStart: start,
    sections: [],
  };
}

export function sectionPlace(source: Source, section: Section, ordinal: number): BodyPlace {
  const { start, end, bodyStart, children: sections } = section;
  const name = source.sectionSlug(section);
  return {
    what: 'section',
    shape: 'node',
    name,
    ordinal,
    descriptor: 'md-block',
    start,
    end,
    anchor: start,
    bodyStart,
    sections,
    section,
  };
}

/** Rows of the list items that stand directly in a body, those under its sub-headings included. */
export function* bodyItems(source: Source, body: BodyPlace): Iterable<number> {
  const { items } = source.blocks;
  for (let row = items.lowerBound(ITEM.START, body.bodyStart); row < items.count; row = items.get(row, ITEM.LAST)) {
    if (items.get(row, ITEM.START) >= body.end) return;
    yield row;
  }
}

/** Rows of the bullets nested directly in an item. */
export function* nestedItems(source: Source, row: number): Iterable<number> {
  const { items } = source.blocks;
  const last = items.get(row, ITEM.LAST);
  for (let child = row + 1; child < last; child = items.get(child, ITEM.LAST)) yield child;
}

/** Where an item's last line ends, without its line ending. */
export function itemEnd(source: Source, row: number): number {
  const { text } = source;
  let end = source.blocks.items.get(row, ITEM.END);
  if (text.charCodeAt(end - 1) === 10) end--;
  if (text.charCodeAt(end - 1) === 13) end--;
  return end;
}

export function itemPlace(source: Source, row: number, ordinal: number): ItemPlace {
  const item = itemText(source.text, source.blocks, row);
  const start = source.blocks.items.get(row, ITEM.START);
  return {
    what: 'item',
    shape: 'node',
    name: itemSlug(source.text, item),
    ordinal,
    descriptor: 'md-item',
    start,
    end: itemEnd(source, row),
    anchor: start,
    row,
    item,
  };
}

/** An item as its container's field: `key: value` is a leaf, any other a node. */
function fieldPlace(source: Source, row: number, item: ItemText, ordinal: number, own: boolean): ItemPlace {
  if (item.key === undefined) return itemPlace(source, row, ordinal);
  const anchor = source.blocks.items.get(row, ITEM.START);
  const name = withoutMarks(item.key.text);
  return {
    what: 'field',
    shape: 'leaf',
    name,
    ordinal,
    descriptor: 'md-item',
    start: item.key.valueStart,
    end: item.end,
    anchor,
    row,
    item,
    ...(own && { own: true }),
  };
}

/** The own key of an item, then its nested bullets. */
export function* fields(source: Source, place: ItemPlace): Iterable<ItemPlace> {
  let ordinal = 0;
  if (place.what === 'item' && place.item.key !== undefined)
    yield fieldPlace(source, place.row, place.item, ordinal++, true);
  for (const row of nestedItems(source, place.row)) {
    yield fieldPlace(source, row, itemText(source.text, source.blocks, row), ordinal++, false);
  }
}

/** `[checked]` of a task item. */
export function checkedPlace(place: ItemPlace): ItemPlace | undefined {
  const { task } = place.item;
  if (task < 0) return undefined;
  return {
    what: 'checked',
    shape: 'leaf',
    name: '[checked]',
    token: true,
    ordinal: 0,
    descriptor: 'md-check',
    start: task,
    end: task + 1,
    anchor: place.anchor,
    row: place.row,
    item: place.item,
  };
}

export function* childrenOfItem(source: Source, place: ItemPlace, slot: Slot): Iterable<ItemPlace> {
  if (place.what === 'checked' || place.own) return;
  if (slot === 'field') yield* fields(source, place);
  else if (slot === 'item') {
    let ordinal = 0;
    for (const row of nestedItems(source, place.row)) yield itemPlace(source, row, ordinal++);
  }
}

/** True when a slug is what `name` asks for; an empty slug answers only to the empty name. */
function slugTest(name: string): (slug: string) => boolean {
  const wanted = slugify(name);
  return wanted === '' && name !== '' ? () => false : (slug) => slug === wanted;
}

export function sectionNamed(source: Source, sections: readonly Section[], name: string): BodyPlace | undefined {
  const matches = slugTest(name);
  const ordinal = sections.findIndex((section) => matches(source.sectionSlug(section)));
  return ordinal < 0 ? undefined : sectionPlace(source, sections[ordinal]!, ordinal);
}

export function itemNamed(source: Source, rows: Iterable<number>, name: string): ItemPlace | undefined {
  const matches = slugTest(name);
  let ordinal = 0;
  for (const row of rows) {
    if (matches(itemSlug(source.text, itemText(source.text, source.blocks, row))))
      return itemPlace(source, row, ordinal);
    ordinal++;
  }
  return undefined;
}

/** The field that a name means: as printed, else in any case as spelled or without marks, else by slug. */
export function fieldNamed(source: Source, place: ItemPlace, name: string): ItemPlace | undefined {
  if (place.what === 'checked' || place.own) return undefined;
  const all = [...fields(source, place)];
  const lower = name.toLowerCase();
  const matches = slugTest(name);
  return (
    all.find((field) => field.name === name) ??
    all.find((field) => field.name.toLowerCase() === lower || field.item.key?.text.toLowerCase() === lower) ??
    all.find((field) => matches(itemSlug(source.text, field.item)))
  );
}

/** True when a predicate's or insertion's key means the own key of this item. */
export function hasKey(item: ItemText, name: string): boolean {
  if (item.key === undefined) return false;
  const plain = withoutMarks(item.key.text);
  const lower = name.toLowerCase();
  return plain.toLowerCase() === lower || item.key.text.toLowerCase() === lower || slugTest(name)(slugify(plain));
}
