import type { JsonValue } from '../../json/value.ts';
import {
  type Change,
  type Document,
  type Insertion,
  type Kind,
  type Leaf,
  type NewStep,
  type NewValue,
  type Problem,
  type Refusal,
  refuse,
  type Slot,
} from '../../kind.ts';
import {
  bodyItems,
  checkedPlace,
  childrenOfItem,
  fieldNamed,
  itemNamed,
  itemPlace,
  nestedItems,
  preamblePlace,
  rootPlace,
  sectionNamed,
  sectionPlace,
} from './section-places.ts';
import { insert } from './change/insert.ts';
import { remove } from './change/remove.ts';
import { write } from './change/write.ts';
import type { FrontmatterReader } from './frontmatter.ts';
import {
  codeOfLanguage,
  groupChild,
  groupChildren,
  groupPlace,
  rowCell,
  rowCells,
  tableRow,
  tableRows,
} from './block-places.ts';
import type { BodyPlace, ItemPlace, MdPlace } from './place.ts';
import { leafOf, probe, rawOf, jsonOf } from './place-values.ts';
import { MarkdownSource } from './markdown-source.ts';

export class MarkdownDocument implements Document<MdPlace> {
  readonly kind = 'md';
  readonly problems: readonly Problem[] = [];
  readonly text: string;
  readonly root: BodyPlace;
  readonly #source: MarkdownSource;

  constructor(source: MarkdownSource) {
    this.#source = source;
    this.text = source.text;
    this.root = rootPlace(source);
  }

  get expandedLength(): number {
    return this.text.length + (this.#source.frontmatter?.added ?? 0);
  }

  problemsAt(place: MdPlace): readonly Problem[] {
    return (place.what === 'frontmatter' || place.what === 'yaml') && this.#source.frontmatter
      ? this.#source.frontmatter.problems()
      : [];
  }

  *children(place: MdPlace, slot: Slot): Iterable<MdPlace> {
    const source = this.#source;
    switch (place.what) {
      case 'root':
      case 'preamble':
      case 'section':
        yield* this.#childrenOfBody(place, slot);
        break;
      case 'item':
      case 'field':
        yield* childrenOfItem(source, place, slot);
        break;
      case 'codes':
      case 'tables':
        yield* groupChildren(source, place);
        break;
      case 'table':
        yield* tableRows(source, place);
        break;
      case 'row':
        yield* rowCells(source, place);
        break;
      case 'frontmatter':
      case 'yaml':
        if (source.frontmatter) yield* source.frontmatter.children(place, slot);
        break;
      default:
    }
  }

  *below(place: MdPlace): Iterable<readonly [Slot, MdPlace]> {
    const source = this.#source;
    if (place.what === 'root' || place.what === 'section' || place.what === 'preamble') {
      const limit = place.sections[0]?.start ?? place.end;
      let ordinal = 0;
      if (place.what !== 'root') {
        for (const row of bodyItems(source, place)) {
          const item = itemPlace(source, row, ordinal++);
          if (item.start >= limit) break;
          yield ['item', item];
        }
      }
      for (const section of this.#childrenOfBody(place, 'section')) yield ['section', section];
    } else {
      for (const child of this.children(place, 'field')) yield ['field', child];
    }
  }

  *#childrenOfBody(place: BodyPlace, slot: Slot): Iterable<MdPlace> {
    let ordinal = 0;
    if (slot === 'section') {
      for (const section of place.sections) yield sectionPlace(this.#source, section, ordinal++);
    } else if (slot === 'item' && place.what !== 'root') {
      for (const row of bodyItems(this.#source, place)) yield itemPlace(this.#source, row, ordinal++);
    }
  }

  child(place: MdPlace, slot: Slot, name: string, quoted: boolean): MdPlace | undefined {
    const source = this.#source;
    switch (place.what) {
      case 'root':
      case 'preamble':
      case 'section':
        return this.#childOfBody(place, slot, name, quoted);
      case 'item':
      case 'field':
        return this.#childOfItem(place, slot, name, quoted);
      case 'codes':
      case 'tables':
        return groupChild(source, place, name);
      case 'code':
        return codeOfLanguage(source, place, name);
      case 'table':
        return tableRow(source, place, name);
      case 'row':
        return rowCell(source, place, name);
      case 'frontmatter':
      case 'yaml':
        return source.frontmatter?.child(place, slot, name, quoted);
      default:
        return undefined;
    }
  }

  #childOfBody(place: BodyPlace, slot: Slot, name: string, quoted: boolean): MdPlace | undefined {
    const source = this.#source;
    if (!quoted && place.what === 'root' && slot === 'section') {
      if (name === '[frontmatter]') return source.frontmatter?.place();
      if (name === '[preamble]') return preamblePlace(source);
    }
    const group = quoted || slot === 'field' ? undefined : this.#group(place, name);
    if (group !== undefined) return group;
    if (slot === 'section') return sectionNamed(source, place.sections, name);
    return slot === 'item' && place.what !== 'root' ? itemNamed(source, bodyItems(source, place), name) : undefined;
  }

  #childOfItem(place: ItemPlace, slot: Slot, name: string, quoted: boolean): MdPlace | undefined {
    const source = this.#source;
    if (place.own) return undefined;
    if (!quoted && name === '[checked]') return checkedPlace(place);
    const group = quoted ? undefined : this.#group(place, name);
    if (group !== undefined) return group;
    if (slot === 'field') return fieldNamed(source, place, name);
    return slot === 'item' ? itemNamed(source, nestedItems(source, place.row), name) : undefined;
  }

  #group(place: BodyPlace | ItemPlace, name: string): MdPlace | undefined {
    if (name !== '[code]' && name !== '[table]') return undefined;
    const start = place.what === 'field' ? place.anchor : place.start;
    const end = place.what === 'field' ? itemPlace(this.#source, place.row, 0).end : place.end;
    return groupPlace(this.#source, name === '[code]' ? 'codes' : 'tables', start, end);
  }

  probe(place: MdPlace, key: string): Leaf | undefined {
    return probe(this.#source, place, key);
  }

  leaf(place: MdPlace): Leaf {
    return leafOf(this.#source, place);
  }

  value(place: MdPlace): JsonValue {
    return jsonOf(this.#source, place);
  }

  raw(place: MdPlace): string {
    return rawOf(this.#source, place);
  }

  write(place: MdPlace, value: NewValue): Change {
    return this.#refuseLoneCr(place) ?? write(this.#source, place, value);
  }

  container(place: MdPlace): string | undefined {
    switch (place.what) {
      case 'root':
        return 'md-file';
      case 'section':
      case 'preamble':
        return 'md-section';
      case 'item':
        return 'md-item';
      case 'field':
        return place.own ? undefined : 'md-item';
      case 'table':
        return 'md-table';
      case 'frontmatter':
        return 'md-frontmatter';
      case 'yaml':
        return this.#source.frontmatter?.document.container(place.inner);
      default:
        return undefined;
    }
  }

  insert(place: MdPlace, slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change {
    return insert(this.#source, place, slot, { where, rest, value });
  }

  remove(place: MdPlace): Change {
    return this.#refuseLoneCr(place) ?? remove(this.#source, place);
  }

  /** CommonMark also ends lines at a lone CR. The scanner does not, so its line could be several. */
  #refuseLoneCr(place: MdPlace): Refusal | undefined {
    if (!/\r(?!\n)/.test(this.text.slice(place.start, place.end))) return undefined;
    return refuse(
      'not-writable',
      'the text contains a carriage return without a line feed; convert the line endings first',
    );
  }
}

/** `readFrontmatter` is called only for addresses that enter `[frontmatter]`. */
export function markdownKind(readFrontmatter: FrontmatterReader): Kind {
  // Safe to widen to `Kind`: the walk only passes back places that this document returned.
  return { name: 'md', parse: (text) => new MarkdownDocument(new MarkdownSource(text, readFrontmatter)) };
}
