import type { Place } from '../../kind.ts';
import type { ItemText } from './item-text.ts';
import type { Section } from './outline.ts';

interface Spot<What extends string> extends Place {
  readonly what: What;
}

/** A list item; through the field slot a `key: value` item is a leaf, its value. */
export interface ItemPlace extends Spot<'item' | 'field' | 'checked'> {
  readonly row: number;
  readonly item: ItemText;
  /** The key of the very item that holds it, not of a bullet nested in it. */
  readonly own?: true;
}

/** A stretch of text with sections, items and blocks: the root, the preamble or a section. */
export interface BodyPlace extends Spot<'root' | 'preamble' | 'section'> {
  /** Where its own text starts, past the heading. */
  readonly bodyStart: number;
  readonly sections: readonly Section[];
  readonly section?: Section;
}

/** All code blocks, or all tables, that stand in `start`..`end`. */
export type GroupPlace = Spot<'codes' | 'tables'>;

export interface CodePlace extends Spot<'code'> {
  readonly row: number;
  /** The group it was reached in by its language: a number behind it counts the blocks of that language. */
  readonly within?: GroupPlace;
}

export interface TablePlace extends Spot<'table'> {
  readonly row: number;
}

export interface TableRowPlace extends Spot<'row'> {
  readonly row: number;
}

export interface CellPlace extends Spot<'cell'> {
  readonly row: number;
}

/** The frontmatter or a place of its YAML. */
export interface YamlPlace extends Spot<'frontmatter' | 'yaml'> {
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
