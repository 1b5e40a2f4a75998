import type { Slot } from '../../kind.ts';
import { ITEM } from './blocks/records.ts';
import { withoutMarks } from './inline.ts';
import { type ItemText, itemSlug, itemText } from './item-text.ts';
import type { Section } from './outline.ts';
import type { BodyPlace, ItemPlace } from './place.ts';
import { slugify } from './slug.ts';
import type { MarkdownSource } from './markdown-source.ts';

export function rootPlace(source: MarkdownSource): BodyPlace {
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

export function preamblePlace(source: MarkdownSource): BodyPlace | undefined {
  const start = source.bodyStart;
  const end = source.outline.preambleEnd;
  const offset = source.text.slice(start, end).search(/\S/);
  if (offset < 0) return undefined;
  const anchor = start + offset;
  return {
    what: 'preamble',
    shape: 'container',
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

export function sectionPlace(source: MarkdownSource, section: Section, ordinal: number): BodyPlace {
  const { start, end, bodyStart, children: sections } = section;
  const name = source.sectionSlug(section);
  return {
    what: 'section',
    shape: 'container',
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

/** Rows of the top-level list items in a body, including those under its sub-headings. */
export function* bodyItems(source: MarkdownSource, body: BodyPlace): Iterable<number> {
  const { items } = source.blocks;
  for (let row = items.lowerBound(ITEM.START, body.bodyStart); row < items.count; row = items.get(row, ITEM.LAST)) {
    if (items.get(row, ITEM.START) >= body.end) return;
    yield row;
  }
}

/** Rows of the bullets nested directly in an item. */
export function* nestedItems(source: MarkdownSource, row: number): Iterable<number> {
  const { items } = source.blocks;
  const last = items.get(row, ITEM.LAST);
  for (let child = row + 1; child < last; child = items.get(child, ITEM.LAST)) yield child;
}

/** The end of an item's last line, before its line ending. */
export function itemEnd(source: MarkdownSource, row: number): number {
  const { text } = source;
  let end = source.blocks.items.get(row, ITEM.END);
  if (text.charCodeAt(end - 1) === 10) end--;
  if (text.charCodeAt(end - 1) === 13) end--;
  return end;
}

export function itemPlace(source: MarkdownSource, row: number, ordinal: number): ItemPlace {
  const item = itemText(source.text, source.blocks, row);
  const start = source.blocks.items.get(row, ITEM.START);
  return {
    what: 'item',
    shape: 'container',
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

/** An item in the field slot: `key: value` is a leaf, any other item is a container. */
function fieldPlace(source: MarkdownSource, row: number, item: ItemText, ordinal: number, own: boolean): ItemPlace {
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

/** The item's own key, then its nested bullets. */
export function* fields(source: MarkdownSource, place: ItemPlace): Iterable<ItemPlace> {
  let ordinal = 0;
  if (place.what === 'item' && place.item.key !== undefined)
    yield fieldPlace(source, place.row, place.item, ordinal++, true);
  for (const row of nestedItems(source, place.row)) {
    yield fieldPlace(source, row, itemText(source.text, source.blocks, row), ordinal++, false);
  }
}

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

export function* childrenOfItem(source: MarkdownSource, place: ItemPlace, slot: Slot): Iterable<ItemPlace> {
  if (place.what === 'checked' || place.own) return;
  if (slot === 'field') yield* fields(source, place);
  else if (slot === 'item') {
    let ordinal = 0;
    for (const row of nestedItems(source, place.row)) yield itemPlace(source, row, ordinal++);
  }
}

/** Compares slugs with `name`; an empty slug matches only the empty name. */
function slugTest(name: string): (slug: string) => boolean {
  const wanted = slugify(name);
  return wanted === '' && name !== '' ? () => false : (slug) => slug === wanted;
}

export function sectionNamed(
  source: MarkdownSource,
  sections: readonly Section[],
  name: string,
): BodyPlace | undefined {
  const matches = slugTest(name);
  const ordinal = sections.findIndex((section) => matches(source.sectionSlug(section)));
  return ordinal < 0 ? undefined : sectionPlace(source, sections[ordinal]!, ordinal);
}

export function itemNamed(source: MarkdownSource, rows: Iterable<number>, name: string): ItemPlace | undefined {
  const matches = slugTest(name);
  let ordinal = 0;
  for (const row of rows) {
    if (matches(itemSlug(source.text, itemText(source.text, source.blocks, row))))
      return itemPlace(source, row, ordinal);
    ordinal++;
  }
  return undefined;
}

/** Finds a field by its printed name, else without case by its spelling, else by slug. */
export function fieldNamed(source: MarkdownSource, place: ItemPlace, name: string): ItemPlace | undefined {
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

/** True if `name` means the item's own key. */
export function hasKey(item: ItemText, name: string): boolean {
  if (item.key === undefined) return false;
  const plain = withoutMarks(item.key.text);
  const lower = name.toLowerCase();
  return plain.toLowerCase() === lower || item.key.text.toLowerCase() === lower || slugTest(name)(slugify(plain));
}
