import { type Change, refuse, type Slot } from '../../../kind.ts';
import { fieldNamed, itemNamed, nestedItems, sectionNamed, bodyItems } from '../section-places.ts';
import { createFrontmatter } from '../frontmatter.ts';
import type { BodyPlace, ItemPlace, MdPlace } from '../place.ts';
import type { MarkdownSource } from '../markdown-source.ts';
import { insertItem } from './insert-item.ts';
import { insertSection } from './insert-section.ts';
import { insertRow } from './insert-row.ts';
import { type NewChild, newItem } from './new-item.ts';

export function insert(source: MarkdownSource, place: MdPlace, slot: Slot, child: NewChild): Change {
  switch (place.what) {
    case 'frontmatter':
    case 'yaml':
      return source.frontmatter
        ? source.frontmatter.insert(place, slot, child.where, child.rest, child.value)
        : refuse('unresolved', 'the file has no frontmatter');
    case 'root':
      return intoRoot(source, place, child);
    case 'section':
    case 'preamble':
      return slot === 'section' ? intoSections(source, place, child) : intoBody(source, place, child);
    case 'item':
    case 'field':
      return intoItem(source, place, child);
    case 'table':
      return child.rest.length > 0
        ? refuse('not-writable', 'cannot insert a single cell; insert a row as an array or an object')
        : insertRow(source, place, child.where, child.value);
    default:
      return refuse('not-writable', `cannot insert into ${place.name}`);
  }
}

function intoRoot(source: MarkdownSource, place: BodyPlace, child: NewChild): Change {
  const { where, rest, value } = child;
  if (where.at !== 'key' || where.key !== '[frontmatter]') return intoSections(source, place, child);
  const [step, ...deeper] = rest;
  if (step === undefined)
    return refuse('not-writable', 'cannot create empty frontmatter; insert its first key with [frontmatter]/+key');
  if (source.frontmatter !== undefined) return refuse('exists', 'the file already has frontmatter');
  return createFrontmatter(source.text, source.read, { at: 'key', key: step.name }, deeper, value);
}

function intoSections(source: MarkdownSource, place: BodyPlace, child: NewChild): Change {
  const { where } = child;
  if (where.at === 'key' && sectionNamed(source, place.sections, where.key)) {
    return refuse('exists', `the section ${JSON.stringify(where.key)} already exists`);
  }
  if (place.what === 'preamble' || place.section?.level === 1)
    return refuse('not-writable', 'a section here would not be below this one; insert it at the top level');
  return insertSection(source, place, child);
}

function intoBody(source: MarkdownSource, place: BodyPlace, child: NewChild): Change {
  const { where } = child;
  if (where.at === 'key' && itemNamed(source, bodyItems(source, place), where.key)) {
    return refuse('exists', `the item ${JSON.stringify(where.key)} already exists in this section`);
  }
  const item = newItem(where.at === 'key' ? where.key : undefined, child.rest, child.value);
  if ('ok' in item) return item;
  return insertItem(source, { body: place, siblings: [...bodyItems(source, place)] }, where, item);
}

function intoItem(source: MarkdownSource, place: ItemPlace, child: NewChild): Change {
  const { where } = child;
  if (place.own) return refuse('not-writable', 'cannot insert into the value of a key; insert into its item');
  if (where.at === 'key' && fieldNamed(source, place, where.key)) {
    return refuse('exists', `the field ${JSON.stringify(where.key)} already exists in this item`);
  }
  const item = newItem(where.at === 'key' ? where.key : undefined, child.rest, child.value);
  if ('ok' in item) return item;
  return insertItem(source, { item: place.row, siblings: [...nestedItems(source, place.row)] }, where, item);
}
