import type { JsonValue } from '../../json/value.ts';
import type { Leaf, Problem } from '../../kind.ts';
import type { YamlPlace } from './place.ts';
import type { Tree } from './tree.ts';

/** The result of the scanner, or of the full reader if the scanner could not prove the text. */
export interface ParsedYaml {
  readonly tree: Tree;
  readonly problems: readonly Problem[];
}

/** The part of a document that changes need. */
export interface YamlSource {
  readonly text: string;
  readonly tree: Tree;
  readonly asStrings: boolean;
  /** Parses another text in the same way, to verify a change. */
  readonly read: (text: string) => ParsedYaml;
  leaf(place: YamlPlace): Leaf;
  value(place: YamlPlace): JsonValue;
}
