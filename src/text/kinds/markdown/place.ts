import type { Place } from '../../kind.ts';
import type { ItemText } from './item-text.ts';
import type { Section } from './outline.ts';

interface TypedPlace<What extends string> extends Place {
  readonly what: What;
}

/** A list item. In the field slot a `key: value` item is a leaf. */
export interface ItemPlace extends TypedPlace<'item' | 'field' | 'checked'> {
  readonly row: number;
  readonly item: ItemText;
  /** The key of the item itself, not of a nested bullet. */
  readonly own?: true;
}

/** A span with sections, items and blocks: the root, the preamble or a section. */
export interface BodyPlace extends TypedPlace<'root' | 'preamble' | 'section'> {
  readonly bodyStart: number;
  readonly sections: readonly Section[];
  readonly section?: Section;
}

/** All code blocks, or all tables, in `start`..`end`. */
export type GroupPlace = TypedPlace<'codes' | 'tables'>;

export interface CodePlace extends TypedPlace<'code'> {
  readonly row: number;
  /** Set if the block was found by its language: the group in which an index counts blocks of that language. */
  readonly within?: GroupPlace;
}

export interface TablePlace extends TypedPlace<'table'> {
  readonly row: number;
}

export interface TableRowPlace extends TypedPlace<'row'> {
  readonly row: number;
}

export interface CellPlace extends TypedPlace<'cell'> {
  readonly row: number;
}

/** The frontmatter or a place in its YAML. */
export interface YamlPlace extends TypedPlace<'frontmatter' | 'yaml'> {
  readonly inner: Place;
}

export type MdPlace =
  | BodyPlace
  | ItemPlace
  | GroupPlace
  | CodePlace
  | TablePlace
  | TableRowPlace
  | CellPlace
  | YamlPlace;
