import { type JsonValue, JsonObject, jsonNumber, sameJson } from '../../json/value.ts';
import {
  type Change,
  type Document,
  type Insertion,
  type Kind,
  type Leaf,
  nestValue,
  type NewStep,
  type NewValue,
  type Place,
  type Problem,
  refuse,
  type Slot,
} from '../../kind.ts';
import { coerceToJson, coerceToLeaf } from './coerce.ts';
import { insertSplices } from './insert.ts';
import { layoutOf, renderValue } from './layout.ts';
import { removeSplices } from './remove.ts';
import { documentStart, type Entry, entriesOf, firstProblem, skipValue } from './scan.ts';

/** A value in a JSONC text; `parent` is its container. */
export interface JsoncPlace extends Place {
  readonly parent: JsoncPlace | undefined;
}

/** JSON with comments and trailing commas. Builds no tree: children are found on demand. */
export const jsonc: Kind = { name: 'jsonc', parse: (text) => parseJsonc(text) };

export function parseJsonc(text: string): Document<JsoncPlace> {
  const problem = firstProblem(text);
  return new JsoncDocument(text, problem === undefined ? [] : [problem]);
}

/** Skips the check of a text that a scanner has already proven valid. */
export function provenJsonc(text: string): Document<JsoncPlace> {
  return new JsoncDocument(text, []);
}

class JsoncDocument implements Document<JsoncPlace> {
  readonly kind = 'jsonc';
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly root: JsoncPlace;

  constructor(text: string, problems: readonly Problem[]) {
    this.text = text;
    this.problems = problems;
    const start = documentStart(text);
    const end = problems.length > 0 ? text.length : skipValue(text, start);
    this.root = {
      shape: 'root',
      name: '',
      ordinal: 0,
      descriptor: describe(text, start),
      start,
      end,
      anchor: 0,
      parent: undefined,
    };
  }

  *children(place: JsoncPlace): Generator<JsoncPlace> {
    if (!isContainerAt(this.text, place.start)) return;
    let ordinal = 0;
    for (const entry of entriesOf(this.text, place.start)) {
      const name = entry.keyEnd > entry.keyStart ? this.key(entry) : String(ordinal);
      yield this.place(place, entry, name, ordinal++);
    }
  }

  child(place: JsoncPlace, _slot: Slot, name: string): JsoncPlace | undefined {
    const { text } = this;
    if (!isContainerAt(text, place.start)) return undefined;
    const isArray = text[place.start] === '[';
    if (isArray && !/^(?:0|[1-9]\d*)$/.test(name)) return undefined;
    const wanted = isArray ? Number(name) : -1;
    let ordinal = 0;
    for (const entry of entriesOf(text, place.start)) {
      if (isArray ? ordinal === wanted : this.isKey(entry, name)) return this.place(place, entry, name, ordinal);
      ordinal++;
    }
    return undefined;
  }

  probe(place: JsoncPlace, key: string): Leaf | undefined {
    const literal = this.child(place, 'field', key);
    const found = literal ?? this.descend(place, key.split('.'));
    return found?.shape === 'leaf' ? this.leaf(found) : undefined;
  }

  leaf(place: JsoncPlace): Leaf {
    return scalarLeaf(this.text.slice(place.start, place.end));
  }

  value(place: JsoncPlace): JsonValue {
    const { text } = this;
    if (text[place.start] === '[') return Array.from(entriesOf(text, place.start), (entry) => this.valueAt(entry));
    if (text[place.start] === '{')
      return new JsonObject(
        Array.from(entriesOf(text, place.start), (entry) => [this.key(entry), this.valueAt(entry)] as const),
      );
    return this.scalar(place.start, place.end);
  }

  raw(place: JsoncPlace): string {
    if (place.shape === 'leaf') return this.leaf(place).valueText;
    return this.text.slice(place.start, place.end);
  }

  write(place: JsoncPlace, value: NewValue): Change {
    const { text } = this;
    if (place.parent === undefined)
      return refuse('not-writable', 'the whole document cannot be set; name a key or index in it');
    if (place.shape === 'container' && !('json' in value)) {
      const what = place.descriptor === 'jsonc-object' ? 'an object' : 'an array';
      return refuse('parse-error', `text cannot replace ${what}; use --value-json, or name a leaf in it`);
    }
    const coerced = place.shape === 'leaf' ? coerceToLeaf(this.leaf(place).leafType, value) : coerceToJson(value);
    if ('ok' in coerced) return coerced;
    if (sameJson(this.value(place), coerced.value)) return { ok: true, splices: [] };
    const layout = layoutOf(text, place.parent.start, place.parent.end);
    const expand = place.shape === 'container' ? text.slice(place.start, place.end).includes('\n') : false;
    const own =
      place.shape === 'container'
        ? { ...layout, entries: [{ keyStart: 0, keyEnd: 0, start: place.start, end: place.end }] }
        : layout;
    return {
      ok: true,
      splices: [{ start: place.start, end: place.end, text: renderValue(text, coerced.value, own, expand) }],
    };
  }

  container(place: JsoncPlace): string | undefined {
    return isContainerAt(this.text, place.start) ? describe(this.text, place.start) : undefined;
  }

  insert(place: JsoncPlace, _slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change {
    const { text } = this;
    const isObject = text[place.start] === '{';
    if (!isContainerAt(text, place.start)) return refuse('type-mismatch', 'a scalar cannot have children');
    const coerced = coerceToJson(value);
    if ('ok' in coerced) return coerced;
    const nested = nestValue(rest, coerced.value);
    const entries = [...entriesOf(text, place.start)];
    if (isObject) {
      if (where.at !== 'key') return refuse('type-mismatch', 'an object takes a named child, as in +key or +"404"');
      const { key } = where;
      if (this.child(place, 'field', key) !== undefined)
        return refuse('exists', `the key ${JSON.stringify(key)} already exists; set it without +, or delete it first`);
      return { ok: true, splices: insertSplices(text, place.start, place.end, entries.length, key, nested) };
    }
    if (where.at === 'key') return refuse('type-mismatch', 'an array takes + (at the end) or +N (before element N)');
    const index = where.at === 'end' ? entries.length : Math.min(where.index, entries.length);
    return { ok: true, splices: insertSplices(text, place.start, place.end, index, undefined, nested) };
  }

  remove(place: JsoncPlace): Change {
    if (place.parent === undefined)
      return refuse('not-writable', 'the whole document cannot be deleted; remove the file instead');
    const entries = [...entriesOf(this.text, place.parent.start)];
    return { ok: true, splices: removeSplices(this.text, entries, place.ordinal) };
  }

  private descend(place: JsoncPlace, names: readonly string[]): JsoncPlace | undefined {
    if (names.length < 2) return undefined;
    let here: JsoncPlace | undefined = place;
    for (const name of names) {
      here = this.child(here, 'field', name);
      if (here === undefined) return undefined;
    }
    return here;
  }

  private key(entry: Entry): string {
    return JSON.parse(this.text.slice(entry.keyStart, entry.keyEnd)) as string;
  }

  /** Compares without decoding if the key has no escapes. */
  private isKey(entry: Entry, name: string): boolean {
    const { text } = this;
    const spelled = entry.keyEnd - entry.keyStart - 2;
    if (spelled === name.length) return text.startsWith(name, entry.keyStart + 1) && !name.includes('\\');
    // An escape is longer than its character.
    if (spelled < name.length) return false;
    const key = text.slice(entry.keyStart, entry.keyEnd);
    return key.includes('\\') && (JSON.parse(key) as string) === name;
  }

  private place(parent: JsoncPlace, entry: Entry, name: string, ordinal: number): JsoncPlace {
    const { start, end } = entry;
    const shape = isContainerAt(this.text, start) ? 'container' : 'leaf';
    return { shape, name, ordinal, descriptor: describe(this.text, start), start, end, anchor: entry.keyStart, parent };
  }

  private valueAt(entry: Entry): JsonValue {
    return isContainerAt(this.text, entry.start)
      ? this.value(this.place(this.root, entry, '', 0))
      : this.scalar(entry.start, entry.end);
  }

  private scalar(start: number, end: number): JsonValue {
    const source = this.text.slice(start, end);
    if (source[0] === '"') return JSON.parse(source) as string;
    if (source === 'true' || source === 'false') return source === 'true';
    return source === 'null' ? null : jsonNumber(source);
  }
}

/** The leaf for a valid JSON scalar. */
export function scalarLeaf(source: string): Leaf {
  if (source[0] === '"') return { valueText: JSON.parse(source) as string, leafType: 'string' };
  if (source === 'true' || source === 'false') return { valueText: source, leafType: 'boolean' };
  return { valueText: source, leafType: source === 'null' ? 'null' : 'number' };
}

function isContainerAt(text: string, at: number): boolean {
  return text[at] === '{' || text[at] === '[';
}

function describe(text: string, at: number): string {
  if (text[at] === '{') return 'jsonc-object';
  return text[at] === '[' ? 'jsonc-array' : 'jsonc-scalar';
}
