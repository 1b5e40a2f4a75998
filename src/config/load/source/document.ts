/** A file of configuration as a tree of spans: where a setting stands, and the splices that set it or take it out. */
import { Fault } from '../../../base/fault.ts';
import { toJson } from '../../../text/json/data.ts';
import { type JsoncPlace, parseJsonc } from '../../../text/kinds/jsonc/jsonc.ts';
import type { Change, Document } from '../../../text/kind.ts';
import { type Position, positionAt } from '../../../text/lines/position.ts';
import type { Splice } from '../../../text/lines/splice.ts';
import type { ReadJson5 } from './json5.ts';
import { spelled, spellingOf } from './style.ts';
import { toJsonc, type Translated } from './translate.ts';

/** A step down in a file: the name of a member or the number of an entry. */
export type FileStep = string | number;

export class ConfigDocument {
  private readonly source: string;
  private readonly written: Translated;
  private readonly document: Document<JsoncPlace>;

  /** `source` has been read as JSON5 already; `read` is that reader. */
  constructor(source: string, read: ReadJson5) {
    this.source = source;
    this.written = toJsonc(source, read);
    this.document = parseJsonc(this.written.text);
    const [problem] = this.document.problems;
    if (problem !== undefined)
      throw new Fault('CONFIG_SYNTAX', `the file cannot be changed in place: ${problem.message}`, {
        hint: 'change it by hand',
      });
  }

  /** Line and column of a setting, or of the nearest thing above it that stands in the file. */
  positionOf(steps: readonly FileStep[]): Position {
    const place = this.follow(steps).at(-1)!;
    const offset = place.shape === 'root' ? place.start : place.anchor;
    return positionAt(this.source, this.written.origin(offset));
  }

  has(steps: readonly FileStep[]): boolean {
    return this.follow(steps).length === steps.length + 1;
  }

  /** How many entries a list has; undefined where no list stands. */
  lengthAt(steps: readonly FileStep[]): number | undefined {
    const places = this.follow(steps);
    const place = places.length === steps.length + 1 ? places.at(-1) : undefined;
    if (place === undefined || this.document.container(place) !== 'jsonc-array') return undefined;
    return [...this.document.children(place, 'field')].length;
  }

  /** The splices that make a setting this value; what is missing above it is made. */
  set(steps: readonly FileStep[], value: unknown): readonly Splice[] {
    const places = this.follow(steps);
    const place = places.at(-1)!;
    const [missing, ...rest] = steps.slice(places.length - 1);
    if (missing === undefined) return this.splices(this.document.write(place, { json: toJson(value) }));
    const nested = rest.reduceRight<unknown>(
      (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
      value,
    );
    const where = typeof missing === 'number' ? ({ at: 'end' } as const) : ({ at: 'key', key: missing } as const);
    return this.splices(this.document.insert(place, 'field', where, [], { json: toJson(nested) }));
  }

  /** The splices that take a setting out, with the objects above it that nothing is left in; undefined when it is not there. */
  unset(steps: readonly FileStep[]): readonly Splice[] | undefined {
    const places = this.follow(steps);
    if (places.length !== steps.length + 1) return undefined;
    let place = places.at(-1)!;
    while (this.isAllOf(place)) place = place.parent!;
    return this.splices(this.document.remove(place));
  }

  /** The places on the way, from the root as far as there are any. A name that is said twice means the last, as it does for readers. */
  private follow(steps: readonly FileStep[]): readonly [JsoncPlace, ...JsoncPlace[]] {
    let here = this.document.root;
    const places: [JsoncPlace, ...JsoncPlace[]] = [here];
    for (const step of steps) {
      const wanted = typeof step === 'number' ? 'jsonc-array' : 'jsonc-object';
      if (this.document.container(here) !== wanted) break;
      const next = [...this.document.children(here, 'field')].findLast(({ name }) => name === String(step));
      if (next === undefined) break;
      places.push(next);
      here = next;
    }
    return places;
  }

  /** Whether a place is all that its container holds, no comment beside it, so that the container says nothing without it. */
  private isAllOf(place: JsoncPlace): boolean {
    const { parent } = place;
    if (parent?.parent === undefined || parent.descriptor !== 'jsonc-object') return false;
    if (parent.parent.descriptor !== 'jsonc-object') return false;
    const { text } = this.written;
    const around = `${text.slice(parent.start + 1, place.anchor)}${text.slice(place.end, parent.end - 1)}`;
    return /^\s*,?\s*$/u.test(around);
  }

  private splices(change: Change): readonly Splice[] {
    if (!change.ok)
      throw new Fault('CONFIG_INVALID', change.detail, {
        hint: 'pincer config validate shows what is wrong in the file',
      });
    const spelling = spellingOf(this.source);
    return change.splices.map(({ start, end, text }) => ({
      start: this.written.origin(start),
      end: this.written.origin(end),
      text: spelled(text, spelling),
    }));
  }
}
