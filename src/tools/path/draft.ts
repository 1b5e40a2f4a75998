import { isPattern, stepsOf } from '../../text/address/steps.ts';
import { JsonObject } from '../../text/json/value.ts';
import type { Document, Place } from '../../text/kind.ts';
import { applySplices, type Splice } from '../../text/lines/splice.ts';
import type { SetOutcome } from '../../text/path/set.ts';
import { locate } from '../../text/walk/walk.ts';
import type { Edit } from './subject.ts';
import { outcomeOf } from './memory-subject.ts';

/**
 * Applies many edits in order to a document. Parsing after each edit would take quadratic time, so in JSON the replacement of a
 * scalar by a scalar is deferred: it changes no address and no other value. Any other edit, and another edit of the same place,
 * first applies the deferred ones.
 */
export class Draft {
  readonly #parse: (text: string) => Document;
  #document: Document;
  /** By the offset of the replaced scalar. */
  readonly #deferred = new Map<number, readonly Splice[]>();

  constructor(document: Document, parse: (text: string) => Document) {
    this.#document = document;
    this.#parse = parse;
  }

  apply(edit: Edit): SetOutcome {
    let scalar = this.#scalarFor(edit);
    if (this.#deferred.size > 0 && (scalar === undefined || this.#deferred.has(scalar.start))) {
      this.#settle();
      scalar = this.#scalarFor(edit);
    }
    const outcome = outcomeOf(this.#document, edit);
    if (!outcome.ok || outcome.splices.length === 0) return outcome;
    if (scalar === undefined) this.#document = this.#parse(outcome.text);
    else this.#deferred.set(scalar.start, outcome.splices);
    return outcome;
  }

  /** The text with all edits. */
  text(): string {
    this.#settle();
    return this.#document.text;
  }

  #settle(): void {
    if (this.#deferred.size === 0) return;
    const splices = [...this.#deferred.values()].flat();
    this.#deferred.clear();
    this.#document = this.#parse(applySplices(this.#document.text, splices));
  }

  /** Undefined for an edit that is not the replacement of a scalar by a scalar. */
  #scalarFor(edit: Edit): Place | undefined {
    const document = this.#document;
    if (edit.verb !== 'set' || (document.kind !== 'jsonc' && document.kind !== 'jsonl')) return undefined;
    if (document.problems.length > 0 || isPattern(edit.path)) return undefined;
    if ('json' in edit.value && (Array.isArray(edit.value.json) || edit.value.json instanceof JsonObject))
      return undefined;
    const found = locate(document, stepsOf(edit.path));
    return found === undefined || found.insertion || found.place.shape !== 'leaf' ? undefined : found.place;
  }
}
