import { assertNoSentinel, REDACTED_SENTINEL } from '../address/sentinel.ts';
import type { OcPath } from '../address/address.ts';
import { isPattern, type Step, stepsOf } from '../address/steps.ts';
import type { Sub } from '../address/sub.ts';
import { type JsonValue, readJson, writeJson } from '../json/value.ts';
import {
  type Change,
  type Document,
  type Insertion,
  type NewStep,
  type NewValue,
  type Place,
  type Problem,
  type Refusal,
  refuse,
} from '../kind.ts';
import { EMPTY_DOCUMENT } from '../kinds/jsonc/problems.ts';
import { applySplices, type Splice } from '../lines/splice.ts';
import { positionAt } from '../lines/position.ts';
import { follow } from '../walk/walk.ts';

export interface SetOptions {
  readonly create?: boolean;
}

/** The result of a set or delete: splices for the old text, and the new text. */
export interface Written {
  readonly ok: true;
  readonly splices: readonly Splice[];
  readonly text: string;
}

export type SetOutcome = Written | Refusal;

/**
 * Writes one leaf, or inserts at `+`, `+key`, `+N`. A string means `{ text }`.
 * Throws only if the value contains the redaction sentinel.
 */
export function setOcPath(
  document: Document,
  path: OcPath,
  given: NewValue | string,
  options: SetOptions = {},
): SetOutcome {
  const refusal = refusalFor(document, path);
  if (refusal !== undefined) return refusal;
  const value = typeof given === 'string' ? { text: given } : given;
  assertClean(value);
  return applyChange(document, change(document, stepsOf(path), value, options));
}

export function deleteOcPath(document: Document, path: OcPath): SetOutcome {
  const refusal = refusalFor(document, path);
  if (refusal !== undefined) return refusal;
  let place = document.root;
  for (const step of stepsOf(path)) {
    const next = step.sub.type === 'insert' ? undefined : follow(document, place, step);
    if (next === undefined) return refuse('unresolved', `"${step.spelling}" does not exist`);
    place = next;
  }
  return applyChange(document, document.remove(place));
}

function refusalFor(document: Document, path: OcPath): Refusal | undefined {
  const refusal = patternRefusal(path);
  if (refusal !== undefined) return refusal;
  const [problem] = document.problems;
  return problem === undefined ? undefined : parseRefusal(document, problem);
}

/** Refuses an address that may name several places. Needs no document, so callers can check before they open the file. */
export function patternRefusal(path: OcPath): Refusal | undefined {
  if (!isPattern(path)) return undefined;
  return refuse('wildcard-not-allowed', 'a write takes one place; use find, then write to one of its matches');
}

function parseRefusal(document: Document, problem: Problem): Refusal {
  const { line, column } = positionAt(document.text, problem.offset);
  const reason = document.kind === 'jsonc' && problem.message === EMPTY_DOCUMENT ? 'no-root' : 'parse-error';
  return refuse(reason, `line ${line}, column ${column}: ${problem.message}; correct the file by hand first`);
}

function change(document: Document, steps: readonly Step[], value: NewValue, options: SetOptions): Change {
  let place = document.root;
  // Below an existing `+key`, missing children are created too: `+gh/risk` creates `gh` only if it does not exist.
  let create = options.create === true;
  for (const [at, step] of steps.entries()) {
    const [problem] = document.problemsAt?.(place) ?? [];
    if (problem !== undefined) return parseRefusal(document, problem);
    const rest = steps.slice(at + 1);
    if (step.sub.type === 'insert') {
      const present =
        rest.length > 0 && step.sub.key !== undefined
          ? document.child(place, step.slot, step.sub.key, true)
          : undefined;
      if (present === undefined) return insert(document, place, step, insertionOf(step.sub), rest, value);
      place = present;
      create = true;
      continue;
    }
    const next = follow(document, place, step);
    if (next === undefined) {
      const where = create || opensFrontmatter(document, step, rest) ? creationPoint(document, place, step) : undefined;
      if (where === undefined) return refuseMissing(document, place, step, create);
      return insert(document, place, step, where, rest, value);
    }
    place = next;
  }
  return document.write(place, value);
}

function insert(
  document: Document,
  place: Place,
  step: Step,
  where: Insertion,
  rest: readonly Step[],
  value: NewValue,
): Change {
  const below: NewStep[] = [];
  for (const { slot, sub, spelling } of rest) {
    const name = sub.type === 'literal' ? sub.text : sub.type === 'insert' ? sub.key : undefined;
    if (name === undefined) return refuse('unresolved', `${spelling} cannot name a new child; use a key`);
    below.push({ slot, name });
  }
  // Only `+`, `+key` and `+N` require JSON; a leaf created below them also takes plain text.
  const strict = step.sub.type === 'insert' && rest.length === 0;
  const isText = document.kind === 'md' || document.kind === 'dotenv';
  return document.insert(place, step.slot, where, below, strict || isText ? value : jsonOrString(value));
}

function insertionOf(sub: Extract<Sub, { type: 'insert' }>): Insertion {
  if (sub.key !== undefined) return { at: 'key', key: sub.key };
  return sub.index === undefined ? { at: 'end' } : { at: 'index', index: sub.index };
}

/** Where `--create` inserts a missing child: a key in a map, the next index in a list. */
function creationPoint(document: Document, place: Place, step: Step): Insertion | undefined {
  if (step.sub.type !== 'literal') return undefined;
  const container = document.container(place);
  if (container === undefined) return undefined;
  if (!/-(?:array|seq)$/.test(container)) return { at: 'key', key: step.sub.text };
  const length = [...document.children(place, step.slot)].length;
  return step.sub.text === String(length) ? { at: 'end' } : undefined;
}

/** A value for a place without a type: JSON if it parses as JSON, else a string. */
function jsonOrString(value: NewValue): { readonly json: JsonValue } {
  if ('json' in value) return value;
  const read = readJson(value.text);
  return { json: 'value' in read ? read.value : value.text };
}

/** Inserting the first key creates the frontmatter of a Markdown file. */
function opensFrontmatter(document: Document, step: Step, rest: readonly Step[]): boolean {
  return document.kind === 'md' && step.spelling === '[frontmatter]' && rest[0]?.sub.type === 'insert';
}

function refuseMissing(document: Document, place: Place, step: Step, create: boolean): Refusal {
  if (place.descriptor === 'jsonl-line') {
    // For a blank or malformed line, report that instead of the missing child.
    const whole = document.write(place, { json: null });
    if (!whole.ok && whole.reason === 'not-a-value-line') return whole;
  }
  if (step.slot === 'field' && place.descriptor === 'md-item' && !hasFields(document, place))
    return refuse('no-item-kv', `the item is plain text without fields; +${step.spelling} adds one`);
  if (create)
    return refuse(
      'unresolved',
      document.container(place) === undefined
        ? `cannot create a child of ${place.name || 'the root'}: it is a value`
        : `cannot create ${step.spelling} in ${place.name || 'the root'}`,
    );
  return refuse(
    'unresolved',
    `"${step.spelling}" does not exist; --create creates what is missing, +key adds one child`,
  );
}

function hasFields(document: Document, place: Place): boolean {
  for (const child of document.children(place, 'field')) if (child.shape === 'leaf') return true;
  return false;
}

/** Checked before the write: if the text already contains the sentinel, the result cannot tell an added one apart. */
function assertClean(value: NewValue): void {
  if ('text' in value) assertNoSentinel(value.text, 'the new value');
  assertNoSentinel(writeJson(jsonOrString(value).json, { indent: '' }), 'the new value');
}

function applyChange(document: Document, changed: Change): SetOutcome {
  if (!changed.ok) return changed;
  const text = applySplices(document.text, changed.splices);
  if (count(text) > count(document.text)) assertNoSentinel(text, 'the new value');
  return { ok: true, splices: changed.splices, text };
}

function count(text: string): number {
  return text.split(REDACTED_SENTINEL).length;
}
