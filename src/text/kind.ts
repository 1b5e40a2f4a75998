/**
 * The interface of a kind: every document is a tree of spans, every write is a list of splices.
 *
 * Offsets are UTF-16 units of `text`. Adapters do not implement wildcards, unions, predicates, ordinals and positions:
 * `walk/walk.ts` implements them once, over `children` and `child`.
 */
import type { Slot } from './address/address.ts';
import type { Splice } from './lines/splice.ts';
import { JsonObject, type JsonValue } from './json/value.ts';

export type KindName = 'md' | 'jsonc' | 'jsonl' | 'yaml' | 'dotenv';

export type { Slot };

export type LeafType = 'string' | 'number' | 'boolean' | 'null';

/** The root, a container or a leaf of a document. Adapters extend it with what they need for writing. */
export interface Place {
  readonly shape: 'root' | 'container' | 'leaf';
  /** Its name in its container: key, index, slug, `L3`, `[frontmatter]`; empty for the root. */
  readonly name: string;
  /** The name is a token that the kind defines (`L3`, `[frontmatter]`). It is printed without quotes. */
  readonly token?: true;
  /** Zero-based position among its siblings, the N of `#N`. */
  readonly ordinal: number;
  /** `jsonc-object`, `md-item`, `yaml-seq`, … Also for leaves that can have children (Markdown). */
  readonly descriptor: string;
  /** The span of its value: a scalar as spelled, a container from bracket to bracket, a section with its heading. */
  readonly start: number;
  readonly end: number;
  /** The offset that is reported as its position: the key of an object entry, the bullet of an item. */
  readonly anchor: number;
}

export interface Leaf {
  /** The value as text: decoded strings, numbers exactly as spelled. */
  readonly valueText: string;
  readonly leafType: LeafType;
}

/** A syntax error or an exceeded limit. Only the first one is reported, with line and column. */
export interface Problem {
  readonly code:
    | 'OC_JSONC_PARSE_FAILED'
    | 'OC_YAML_PARSE_FAILED'
    | 'OC_DOTENV_PARSE_FAILED'
    | 'OC_JSONC_DEPTH_EXCEEDED';
  readonly offset: number;
  readonly message: string;
}

/** The value for `set`: text, which is coerced to the current type, or JSON, which is written unchanged. */
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
  /** What is wrong and what to do. */
  readonly detail: string;
}

export type Change = { readonly ok: true; readonly splices: readonly Splice[] } | Refusal;

/** Wraps a value in an object for each step: the steps `a`, `b` make `{"a":{"b":value}}`. */
export function nestValue(steps: readonly NewStep[], value: JsonValue): JsonValue {
  return steps.reduceRight<JsonValue>((inner, step) => new JsonObject([[step.name, inner]]), value);
}

export function refuse(reason: RefusalReason, detail: string): Refusal {
  return { ok: false, reason, detail };
}

/** A parsed document. Parsing never throws: a malformed text yields a document with problems. */
export interface Document<P extends Place = Place> {
  readonly kind: KindName;
  readonly text: string;
  /** Empty for a valid document. Do not call any method of a document with problems. */
  readonly problems: readonly Problem[];
  readonly root: P;
  /** The length of the text with every alias expanded. Absent for kinds without aliases. */
  readonly expandedLength?: number;

  /** Problems of a part of the document, which affect only addresses that enter it: malformed Markdown frontmatter. */
  problemsAt?(place: P): readonly Problem[];
  /** The children of a place in document order. Aliases are followed. */
  children(place: P, slot: Slot): Iterable<P>;
  /**
   * What `**` finds directly below a place: each child exactly once, in document order, with the slot of its name.
   * Absent if that equals `children` in the same slot; Markdown has sections, items and fields below one place.
   */
  below?(place: P): Iterable<readonly [Slot, P]>;
  /**
   * The first child with this name (exact key, canonical index, slug, `L3`, `[frontmatter]`).
   * A `quoted` name is literal: it never means a token of the kind.
   */
  child(place: P, slot: Slot, name: string, quoted: boolean): P | undefined;
  /** The leaf that a predicate `[key op value]` on `place` compares. */
  probe(place: P, key: string): Leaf | undefined;
  /** Only for places of shape `leaf` (and a root that is a scalar). */
  leaf(place: P): Leaf;
  /** The place as JSON: a leaf's value or a subtree; for Markdown the text of sections and items. */
  value(place: P): JsonValue;
  /** The text of a place for `--raw`: a leaf's value; a subtree, section or item unchanged from the file. */
  raw(place: P): string;

  /** Replaces the value of a place. An equal value yields no splices. */
  write(place: P, value: NewValue): Change;
  /** The descriptor of the insertion point in a place (`jsonc-object`, `md-section`), or undefined if it takes no children. */
  container(place: P): string | undefined;
  /** Adds a child to a container, and `rest` below the child. */
  insert(place: P, slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change;
  /** Removes a place, with the separators, comment and line that belong to it. */
  remove(place: P): Change;
}

export interface Kind {
  readonly name: KindName;
  parse(text: string): Document;
}
