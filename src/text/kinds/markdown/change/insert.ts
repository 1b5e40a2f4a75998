/** Adds children: sections to the file, items to sections, bullets to items. */
import { type Change, type Insertion, type NewStep, type NewValue, refuse, type Slot } from '../../../kind.ts';
import { fieldNamed, itemNamed, nestedItems, sectionNamed, bodyItems } from '../bodies.ts';
import { createFrontmatter } from '../frontmatter.ts';
import type { BodyPlace, ItemPlace, MdPlace } from '../place.ts';
import type { Source } from '../source.ts';
import { insertItem } from './insert-item.ts';
import { insertSection } from './insert-section.ts';
import { insertRow } from './insert-row.ts';
import { newItem } from './new-item.ts';

export function insert(
  source: Source,
  place: MdPlace,
  slot: Slot,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  switch (place.what) {
    case 'frontmatter':
    case 'yaml':
      return source.frontmatter
        ? source.frontmatter.insert(place, slot, where, rest, value)
        : refuse('unresolved', 'the file has no frontmatter');
    case 'root':
      return intoRoot(source, place, where, rest, value);
    case 'section':
    case 'preamble':
      return slot === 'section'
        ? intoSections(source, place, where, rest, value)
        : intoBody(source, place, where, rest, value);
    case 'item':
    case 'field':
      return intoItem(source, place, where, rest, value);
    case 'table':
      return rest.length > 0
        ? refuse('not-writable', 'a row takes all its cells at once: give an array or an object')
        : insertRow(source, place, where, value);
    default:
      return refuse('not-writable', `nothing can be inserted into ${place.name}`);
  }
}

function intoRoot(
  source: Source,
  place: BodyPlace,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  if (where.at !== 'key' || where.key !== '[frontmatter]') return intoSections(source, place, where, rest, value);
  const [step, ...deeper] = rest;
  if (step === undefined)
    return refuse('not-writable', 'frontmatter is made with its first key: insert [frontmatter]/+key');
  if (source.frontmatter !== undefined) return refuse('exists', 'the file has frontmatter already');
  return createFrontmatter(source.text, source.read, { at: 'key', key: step.name }, deeper, value);
}

function intoSections(
  source: Source,
  place: BodyPlace,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  if (where.at === 'key' && sectionNamed(source, place.sections, where.key)) {
    return refuse('exists', `there is a section ${JSON.stringify(where.key)} already`);
  }
  if (place.what === 'preamble' || place.section?.level === 1)
    return refuse('not-writable', 'a section here would not be below this one: insert it at the top level');
  return insertSection(source, place, where, rest, value);
}

function intoBody(
  source: Source,
  place: BodyPlace,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  if (where.at === 'key' && itemNamed(source, bodyItems(source, place), where.key)) {
    return refuse('exists', `there is an item ${JSON.stringify(where.key)} in this section already`);
  }
  const item = newItem(where.at === 'key' ? where.key : undefined, rest, value);
  if ('ok' in item) return item;
  return insertItem(source, { body: place, siblings: [...bodyItems(source, place)] }, where, item);
}

function intoItem(
  source: Source,
  place: ItemPlace,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  if (place.own) return refuse('not-writable', 'the value of a key holds nothing: insert into its item');
  if (where.at === 'key' && fieldNamed(source, place, where.key)) {
    return refuse('exists', `there is a field ${JSON.stringify(where.key)} in this item already`);
  }
  const item = newItem(where.at === 'key' ? where.key : undefined, rest, value);
  if ('ok' in item) return item;
  return insertItem(source, { item: place.row, siblings: [...nestedItems(source, place.row)] }, where, item);
}
