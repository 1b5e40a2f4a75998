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
import { applySplices, type Splice } from '../lines/splice.ts';
import { positionAt } from '../lines/position.ts';
import { follow } from '../walk/walk.ts';

export interface SetOptions {
  /** Make missing parents too. */
  readonly create?: boolean;
}

/** What a set or delete does to a text: splices against the old one, and the new one. */
export interface Written {
  readonly ok: true;
  readonly splices: readonly Splice[];
  readonly text: string;
}

export type SetOutcome = Written | Refusal;

/**
 * Writes one leaf, or inserts at `+`, `+key`, `+N`; a bare string stands for `{ text }`.
 * Throws only for the redaction mark.
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
  return finish(document, change(document, stepsOf(path), value, options));
}

/** Takes one place out. */
export function deleteOcPath(document: Document, path: OcPath): SetOutcome {
  const refusal = refusalFor(document, path);
  if (refusal !== undefined) return refusal;
  let place = document.root;
  for (const step of stepsOf(path)) {
    const next = step.sub.type === 'insert' ? undefined : follow(document, place, step);
    if (next === undefined) return refuse('unresolved', `nothing is called ${step.spelling} there`);
    place = next;
  }
  return finish(document, document.remove(place));
}

function refusalFor(document: Document, path: OcPath): Refusal | undefined {
  const refusal = patternRefusal(path);
  if (refusal !== undefined) return refusal;
  const [problem] = document.problems;
  return problem === undefined ? undefined : broken(document, problem);
}

/** The refusal of an address that may name many places: it needs no document, so no file need be touched for it. */
export function patternRefusal(path: OcPath): Refusal | undefined {
  if (!isPattern(path)) return undefined;
  return refuse('wildcard-not-allowed', 'a write needs one place; find it first and write to one of the matches');
}

function broken(document: Document, problem: Problem): Refusal {
  const { line, column } = positionAt(document.text, problem.offset);
  const reason =
    document.kind === 'jsonc' && problem.message === 'the document holds no value' ? 'no-root' : 'parse-error';
  return refuse(reason, `line ${line}, column ${column}: ${problem.message}; correct the file by hand first`);
}

function change(document: Document, steps: readonly Step[], value: NewValue, options: SetOptions): Change {
  let place = document.root;
  // Behind a `+key` that is there already, what is missing is made too: `+gh/risk` means "gh, made if need be, with a risk".
  let create = options.create === true;
  for (const [at, step] of steps.entries()) {
    const [problem] = document.problemsAt?.(place) ?? [];
    if (problem !== undefined) return broken(document, problem);
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
      const where = create || opensFrontmatter(document, step, rest) ? creation(document, place, step) : undefined;
      if (where === undefined) return missing(document, place, step, create);
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
    if (name === undefined) return refuse('unresolved', `${spelling} cannot name something that is still to be made`);
    below.push({ slot, name });
  }
  // Only `+`, `+key` and `+N` themselves ask for JSON; a leaf that is made on the way takes a plain text too.
  const strict = step.sub.type === 'insert' && rest.length === 0;
  const isText = document.kind === 'md' || document.kind === 'dotenv';
  return document.insert(place, step.slot, where, below, strict || isText ? value : lenient(value));
}

function insertionOf(sub: Extract<Sub, { type: 'insert' }>): Insertion {
  if (sub.key !== undefined) return { at: 'key', key: sub.key };
  return sub.index === undefined ? { at: 'end' } : { at: 'index', index: sub.index };
}

/** Where `--create` puts a missing child: a key in a map, the next index in a list. */
function creation(document: Document, place: Place, step: Step): Insertion | undefined {
  if (step.sub.type !== 'literal') return undefined;
  const container = document.container(place);
  if (container === undefined) return undefined;
  if (!/-(?:array|seq)$/.test(container)) return { at: 'key', key: step.sub.text };
  const length = [...document.children(place, step.slot)].length;
  return step.sub.text === String(length) ? { at: 'end' } : undefined;
}

/** A value for a place that has no type yet: JSON if it reads as JSON, else a string. */
function lenient(value: NewValue): { readonly json: JsonValue } {
  if ('json' in value) return value;
  const read = readJson(value.text);
  return { json: 'value' in read ? read.value : value.text };
}

/** A Markdown file without frontmatter gets one with its first key. */
function opensFrontmatter(document: Document, step: Step, rest: readonly Step[]): boolean {
  return document.kind === 'md' && step.spelling === '[frontmatter]' && rest[0]?.sub.type === 'insert';
}

function missing(document: Document, place: Place, step: Step, create: boolean): Refusal {
  if (place.descriptor === 'jsonl-line') {
    // Only a line that holds a value could be written; why this one could not is the better answer.
    const whole = document.write(place, { json: null });
    if (!whole.ok && whole.reason === 'not-a-value-line') return whole;
  }
  if (step.slot === 'field' && place.descriptor === 'md-item' && !hasFields(document, place))
    return refuse('no-item-kv', `this item is plain text and has no fields; +${step.spelling} adds one below it`);
  if (create)
    return refuse(
      'unresolved',
      document.container(place) === undefined
        ? `nothing can be made below ${place.name || 'the root'}: a value stands there`
        : `${step.spelling} cannot be made there`,
    );
  return refuse(
    'unresolved',
    `nothing is called ${step.spelling} there; --create makes what is missing, and +key adds one child`,
  );
}

function hasFields(document: Document, place: Place): boolean {
  for (const child of document.children(place, 'field')) if (child.shape === 'leaf') return true;
  return false;
}

/** Looked at before anything else: where the mark stands already, counting it in the result would not tell. */
function assertClean(value: NewValue): void {
  if ('text' in value) assertNoSentinel(value.text, 'the new value');
  assertNoSentinel(writeJson(lenient(value).json, { indent: '' }), 'the new value');
}

function finish(document: Document, changed: Change): SetOutcome {
  if (!changed.ok) return changed;
  const text = applySplices(document.text, changed.splices);
  if (count(text) > count(document.text)) assertNoSentinel(text, 'the new value');
  return { ok: true, splices: changed.splices, text };
}

function count(text: string): number {
  return text.split(REDACTED_SENTINEL).length;
}
