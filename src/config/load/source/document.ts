/** A configuration file as a tree of spans: the positions of settings, and the splices that set or remove them. */
import { Fault } from '../../../base/fault.ts';
import { toJson } from '../../../text/json/data.ts';
import { type JsoncPlace, parseJsonc } from '../../../text/kinds/jsonc/jsonc.ts';
import type { Change, Document } from '../../../text/kind.ts';
import { type Position, positionAt } from '../../../text/lines/position.ts';
import type { Splice } from '../../../text/lines/splice.ts';
import type { ParseJson5 } from './json5.ts';
import { applySpelling, detectSpelling } from './spelling.ts';
import { toJsonc, type Translated } from './translate.ts';

/** The name of a member or the index of an entry. */
export type FileStep = string | number;

export class ConfigDocument {
  private readonly source: string;
  private readonly written: Translated;
  private readonly document: Document<JsoncPlace>;

  /** `source` must be valid JSON5. */
  constructor(source: string, parse: ParseJson5) {
    this.source = source;
    this.written = toJsonc(source, parse);
    this.document = parseJsonc(this.written.text);
    const [problem] = this.document.problems;
    if (problem !== undefined)
      throw new Fault('CONFIG_SYNTAX', `the file cannot be changed in place: ${problem.message}`, {
        hint: 'change it by hand',
      });
  }

  /** Line and column of a setting, or of its nearest ancestor in the file. */
  positionOf(steps: readonly FileStep[]): Position {
    const place = this.follow(steps).at(-1)!;
    const offset = place.shape === 'root' ? place.start : place.anchor;
    return positionAt(this.source, this.written.origin(offset));
  }

  has(steps: readonly FileStep[]): boolean {
    return this.follow(steps).length === steps.length + 1;
  }

  /** Undefined where there is no list. */
  lengthAt(steps: readonly FileStep[]): number | undefined {
    const places = this.follow(steps);
    const place = places.length === steps.length + 1 ? places.at(-1) : undefined;
    if (place === undefined || this.document.container(place) !== 'jsonc-array') return undefined;
    return [...this.document.children(place, 'field')].length;
  }

  /** The splices that set a value, with missing ancestors. */
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

  /** The splices that remove a setting and the objects that become empty; undefined when it is not set. */
  unset(steps: readonly FileStep[]): readonly Splice[] | undefined {
    const places = this.follow(steps);
    if (places.length !== steps.length + 1) return undefined;
    let place = places.at(-1)!;
    while (this.isOnlyMember(place)) place = place.parent!;
    return this.splices(this.document.remove(place));
  }

  /** The places from the root down, as far as they exist. Of duplicate names the last counts, as for parsers. */
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

  /** Whether its object has no other member and no comment. */
  private isOnlyMember(place: JsoncPlace): boolean {
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
        hint: 'run pincer config validate to see the problems of the file',
      });
    const spelling = detectSpelling(this.source);
    return change.splices.map(({ start, end, text }) => ({
      start: this.written.origin(start),
      end: this.written.origin(end),
      text: applySpelling(text, spelling),
    }));
  }
}
