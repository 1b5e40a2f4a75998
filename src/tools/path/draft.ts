import { isPattern, stepsOf } from '../../text/address/steps.ts';
import { JsonObject } from '../../text/json/value.ts';
import type { Document, Place } from '../../text/kind.ts';
import { applySplices, type Splice } from '../../text/lines/splice.ts';
import type { SetOutcome } from '../../text/path/set.ts';
import { locate } from '../../text/walk/walk.ts';
import type { Edit } from './subject.ts';
import { outcomeOf } from './whole.ts';

/**
 * A document under many edits, each seeing what those before it made. Reading the text again after each would cost the
 * square of their number, so in JSON a scalar that takes the place of a scalar waits: it moves no address and
 * changes no other value. Any other edit, and one of the same place, first puts those that wait into the text.
 */
export class Draft {
  readonly #parse: (text: string) => Document;
  #document: Document;
  /** By the offset of the scalar they replace. */
  readonly #waiting = new Map<number, readonly Splice[]>();

  constructor(document: Document, parse: (text: string) => Document) {
    this.#document = document;
    this.#parse = parse;
  }

  apply(edit: Edit): SetOutcome {
    let scalar = this.#scalarFor(edit);
    if (this.#waiting.size > 0 && (scalar === undefined || this.#waiting.has(scalar.start))) {
      this.#settle();
      scalar = this.#scalarFor(edit);
    }
    const outcome = outcomeOf(this.#document, edit);
    if (!outcome.ok || outcome.splices.length === 0) return outcome;
    if (scalar === undefined) this.#document = this.#parse(outcome.text);
    else this.#waiting.set(scalar.start, outcome.splices);
    return outcome;
  }

  /** The text with all the edits in it. */
  text(): string {
    this.#settle();
    return this.#document.text;
  }

  #settle(): void {
    if (this.#waiting.size === 0) return;
    const splices = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#document = this.#parse(applySplices(this.#document.text, splices));
  }

  /** The scalar that an edit replaces with another one; undefined for every other edit. */
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
