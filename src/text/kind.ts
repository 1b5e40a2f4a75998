/**
 * The interface of a kind: every document is a tree of spans, every write is a list of splices.
 *
 * Offsets are UTF-16 units of `text`. Adapters do not handle wildcards, unions, predicates, ordinals and positions:
 * `walk/walk.ts` implements them once, over `children` and `child`.
 */
import type { Slot } from './address/address.ts';
import type { Splice } from './lines/splice.ts';
import type { JsonValue } from './json/value.ts';

export type KindName = 'md' | 'jsonc' | 'jsonl' | 'yaml' | 'dotenv';

export type { Slot };

export type LeafType = 'string' | 'number' | 'boolean' | 'null';

/** A location in a document. Adapters extend it with what they need for writing. */
export interface Place {
  readonly shape: 'root' | 'node' | 'leaf';
  /** Its name in the container: key, index, slug, `L3`, `[frontmatter]`; empty for the root. */
  readonly name: string;
  /** The name is a token of the kind (`L3`, `[frontmatter]`) and is never quoted. */
  readonly token?: true;
  /** Zero-based position among its siblings, the N of `#N`. */
  readonly ordinal: number;
  /** `jsonc-object`, `md-item`, `yaml-seq`, … Also for leaves that can have children (Markdown). */
  readonly descriptor: string;
  /** The span of its value (a leaf's scalar as spelled, a container from bracket to bracket, a section with its heading). */
  readonly start: number;
  readonly end: number;
  /** The offset whose line is reported as its line (the key of an object entry, the item's bullet). */
  readonly anchor: number;
}

export interface Leaf {
  /** The value as text: decoded strings, numbers exactly as spelled. */
  readonly valueText: string;
  readonly leafType: LeafType;
}

/** A syntax error; messages show the first one with line and column. */
export interface Problem {
  readonly code:
    | 'OC_JSONC_PARSE_FAILED'
    | 'OC_YAML_PARSE_FAILED'
    | 'OC_DOTENV_PARSE_FAILED'
    | 'OC_JSONC_DEPTH_EXCEEDED';
  readonly offset: number;
  readonly message: string;
}

/** The argument of `set`: text, coerced to the type of the existing value, or JSON, written unchanged. */
export type NewValue = { readonly text: string } | { readonly json: JsonValue };

export type Insertion =
  | { readonly at: 'end' }
  | { readonly at: 'key'; readonly key: string }
  | { readonly at: 'index'; readonly index: number };

/** A child to create below the inserted one, for `+gh/risk` and `--create`. */
export interface NewStep {
  readonly slot: Slot;
  readonly name: string;
}

export type RefusalReason =
  | 'unresolved'
  | 'not-writable'
  | 'no-root'
  | 'no-item-kv'
  | 'not-a-value-line'
  | 'parse-error'
  | 'type-mismatch'
  | 'wildcard-not-allowed'
  | 'exists'
  | 'alias';

export interface Refusal {
  readonly ok: false;
  readonly reason: RefusalReason;
  /** One sentence: what is wrong and what to do. */
  readonly detail: string;
}

export type Change = { readonly ok: true; readonly splices: readonly Splice[] } | Refusal;

export function refuse(reason: RefusalReason, detail: string): Refusal {
  return { ok: false, reason, detail };
}

/** A parsed document. Parsing never throws: an invalid text results in a document with problems. */
export interface Document<P extends Place = Place> {
  readonly kind: KindName;
  readonly text: string;
  /** Empty for a valid document. No other member may be used on a document with problems. */
  readonly problems: readonly Problem[];
  readonly root: P;
  /** The length of the text with every alias expanded. Absent where the kind has no aliases. */
  readonly expandedLength?: number;

  /** Problems that matter only to addresses in this part, such as invalid frontmatter of a Markdown file. */
  problemsAt?(place: P): readonly Problem[];
  /** The children of a place in document order. An alias is followed; a leaf usually has none. */
  children(place: P, slot: Slot): Iterable<P>;
  /**
   * The children that `**` visits, each exactly once, in document order, with their slots. Absent where they are `children`
   * in the same slot; in Markdown a place has sections, items and fields below it.
   */
  below?(place: P): Iterable<readonly [Slot, P]>;
  /**
   * The first child with this name (exact key, canonical index, slug, `L3`, `[frontmatter]`).
   * `quoted` names are literal: they are never a token of the kind.
   */
  child(place: P, slot: Slot, name: string, quoted: boolean): P | undefined;
  /** The leaf that a predicate `[key op value]` on `place` compares. */
  probe(place: P, key: string): Leaf | undefined;
  /** Only for places of shape `leaf` (and a root that is a scalar). */
  leaf(place: P): Leaf;
  /** The place as JSON: a leaf's value or a subtree; for Markdown, the text of sections and items. */
  value(place: P): JsonValue;
  /** The text for `--raw`: a leaf's value, or the source text of a subtree, section or item. */
  raw(place: P): string;

  /** Replaces the value of a place. Setting the existing value results in no splice. */
  write(place: P, value: NewValue): Change;
  /** The descriptor of the insertion point: `jsonc-object`, `md-section`, …; undefined when the place accepts no children. */
  container(place: P): string | undefined;
  /** Adds a child to a container, and `rest` below the child. */
  insert(place: P, slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change;
  /** Removes a place together with exactly the separators, comment and line that belong to it. */
  remove(place: P): Change;
}

export interface Kind {
  readonly name: KindName;
  parse(text: string): Document;
}
