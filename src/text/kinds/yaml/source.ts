/** What the changes need of a document. */
import type { JsonValue } from '../../json/value.ts';
import type { Leaf, Problem } from '../../kind.ts';
import type { YamlPlace } from './place.ts';
import type { Tree } from './tree.ts';

/** A text read: by the scanner if it could prove it, else by the full reader. */
export interface Reading {
  readonly tree: Tree;
  readonly problems: readonly Problem[];
}

export interface YamlSource {
  readonly text: string;
  readonly tree: Tree;
  /** Every scalar is a string. */
  readonly asStrings: boolean;
  /** Reads another text the way this one was read; changes are checked with it. */
  readonly read: (text: string) => Reading;
  leaf(place: YamlPlace): Leaf;
  value(place: YamlPlace): JsonValue;
}
