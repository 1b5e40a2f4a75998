/**
 * THE SHAPE of a kind: every document is a tree of spans, every write is a list of splices.
 *
 * Offsets are UTF-16 units of `text`. Wildcards, unions, predicates, ordinals and positions are not the
 * adapter's business: `walk/walk.ts` has them once, over `children` and `child`.
 */
import type { Slot } from './address/address.ts';
import type { Splice } from './lines/splice.ts';
import type { JsonValue } from './json/value.ts';

export type KindName = 'md' | 'jsonc' | 'jsonl' | 'yaml' | 'dotenv';

export type { Slot };

export type LeafType = 'string' | 'number' | 'boolean' | 'null';

/** One spot in a document. Adapters extend it with what they need for writing. */
export interface Place {
  readonly shape: 'root' | 'node' | 'leaf';
  /** How its container calls it: key, index, slug, `L3`, `[frontmatter]`; empty for the root. */
  readonly name: string;
  /** The name is a token of the kind's own (`L3`, `[frontmatter]`), printed bare, never quoted. */
  readonly token?: true;
  /** Zero-based position among its siblings: its `#N`. */
  readonly ordinal: number;
  /** What it is: `jsonc-object`, `md-item`, `yaml-seq`, … Also for leaves that can hold children (Markdown). */
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

/** Why a document cannot be trusted; the first one is shown with line and column. */
export interface Problem {
  readonly code:
    | 'OC_JSONC_PARSE_FAILED'
    | 'OC_YAML_PARSE_FAILED'
    | 'OC_DOTENV_PARSE_FAILED'
    | 'OC_JSONC_DEPTH_EXCEEDED';
  readonly offset: number;
  readonly message: string;
}

/** What `set` was given: text, coerced to the type that stands there, or JSON, written as it is. */
export type NewValue = { readonly text: string } | { readonly json: JsonValue };

/** Where a new child goes. */
export type Insertion =
  | { readonly at: 'end' }
  | { readonly at: 'key'; readonly key: string }
  | { readonly at: 'index'; readonly index: number };

/** A child to be made below the inserted one, for `+gh/risk` and `--create`. */
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
  /** One sentence for a person: what is wrong and what to do. */
  readonly detail: string;
}

export type Change = { readonly ok: true; readonly splices: readonly Splice[] } | Refusal;

export function refuse(reason: RefusalReason, detail: string): Refusal {
  return { ok: false, reason, detail };
}

/** A parsed document. Parsing is total: a broken text gives a document with problems, never an exception. */
export interface Document<P extends Place = Place> {
  readonly kind: KindName;
  readonly text: string;
  /** Empty for a sound document. Nothing else may be called on a document with problems. */
  readonly problems: readonly Problem[];
  readonly root: P;
  /** How long the text would be with every alias written out. Absent where the kind has no aliases. */
  readonly expandedLength?: number;

  /** Problems of a part that only matter to addresses that enter it: broken frontmatter of a Markdown file. */
  problemsAt?(place: P): readonly Problem[];
  /** The children of a place in document order. An alias is followed; a leaf usually has none. */
  children(place: P, slot: Slot): Iterable<P>;
  /**
   * What `**` finds directly below a place, each child exactly once, in document order, with the slot it is named in.
   * Absent where that is just `children` in the same slot; Markdown has sections, items and fields below one place.
   */
  below?(place: P): Iterable<readonly [Slot, P]>;
  /**
   * The first child that this name means (exact key, canonical index, slug, `L3`, `[frontmatter]`).
   * `quoted` names are literal: they are never one of the kind's own tokens.
   */
  child(place: P, slot: Slot, name: string, quoted: boolean): P | undefined;
  /** The leaf that a predicate `[key op value]` on `place` compares, or undefined when there is none. */
  probe(place: P, key: string): Leaf | undefined;
  /** Only for places of shape `leaf` (and a root that is a scalar). */
  leaf(place: P): Leaf;
  /** The place as JSON: a leaf's value, a subtree; Markdown gives the text of sections and items. */
  value(place: P): JsonValue;
  /** The text of a place for `--raw`: a leaf's value, a subtree, section or item as it stands in the file. */
  raw(place: P): string;

  /** Replaces the value of a place. Setting what already stands there gives no splice. */
  write(place: P, value: NewValue): Change;
  /** The word for the insertion point in a container: `jsonc-object`, `md-section`, … or undefined when nothing can go in. */
  container(place: P): string | undefined;
  /** Adds a child (and, below it, `rest`) to a container. */
  insert(place: P, slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change;
  /** Takes a place out, with exactly the separators, comment and line that belong to it. */
  remove(place: P): Change;
}

export interface Kind {
  readonly name: KindName;
  parse(text: string): Document;
}
