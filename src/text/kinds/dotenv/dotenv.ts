import { JsonObject, type JsonValue, writeJson } from '../../json/value.ts';
import { dominantEol, type Eol } from '../../lines/eol.ts';
import {
  type Change,
  type Document,
  type Insertion,
  type Kind,
  type Leaf,
  type NewStep,
  type NewValue,
  type Place,
  type Problem,
  type Refusal,
  refuse,
  type Slot,
} from '../../kind.ts';
import { type Entry, isKey, type Quote, scanDotenv } from './scan.ts';

interface DotenvPlace extends Place {
  readonly entry?: Entry;
}

export const dotenv: Kind = { name: 'dotenv', parse: (text) => new DotenvDocument(text) };

class DotenvDocument implements Document<DotenvPlace> {
  readonly kind = 'dotenv';
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly root: DotenvPlace;
  readonly #places: readonly DotenvPlace[];
  /** The last line with a key, which is the one that loaders use. */
  readonly #byKey: ReadonlyMap<string, DotenvPlace>;

  constructor(text: string) {
    this.text = text;
    const { entries, problem } = scanDotenv(text);
    this.problems = problem === undefined ? [] : [problem];
    this.root = {
      shape: 'root',
      name: '',
      ordinal: 0,
      descriptor: 'dotenv-file',
      start: 0,
      end: text.length,
      anchor: 0,
    };
    this.#places = entries.map((entry, ordinal) => ({
      shape: 'leaf',
      name: entry.key,
      ordinal,
      descriptor: 'dotenv-value',
      start: entry.start,
      end: entry.end,
      anchor: entry.keyStart,
      entry,
    }));
    this.#byKey = new Map(this.#places.map((place) => [place.name, place]));
  }

  children(place: DotenvPlace): Iterable<DotenvPlace> {
    return place.entry === undefined ? this.#places : [];
  }

  child(place: DotenvPlace, _slot: Slot, name: string): DotenvPlace | undefined {
    return place.entry === undefined ? this.#byKey.get(name) : undefined;
  }

  probe(): undefined {
    return undefined; // a value has no children to compare
  }

  leaf(place: DotenvPlace): Leaf {
    return { valueText: this.#valueOf(place), leafType: 'string' };
  }

  value(place: DotenvPlace): JsonValue {
    if (place.entry !== undefined) return this.#valueOf(place);
    return new JsonObject([...this.#byKey].map(([key, one]) => [key, this.#valueOf(one)]));
  }

  raw(place: DotenvPlace): string {
    return place.entry === undefined ? this.text : this.#valueOf(place);
  }

  write(place: DotenvPlace, value: NewValue): Change {
    const { entry } = place;
    if (entry === undefined) return refuse('not-writable', 'the whole file cannot be set; name one variable');
    const text = variableText(value);
    if (typeof text !== 'string') return text;
    if (text === this.#valueOf(place)) return { ok: true, splices: [] };
    const written = encodeValue(text, {
      quote: entry.quote,
      isMultiline: /[\r\n]/u.test(this.text.slice(entry.start, entry.end)),
      eol: dominantEol(this.text),
    });
    return { ok: true, splices: [{ start: entry.start, end: entry.end, text: written }] };
  }

  container(place: DotenvPlace): string | undefined {
    return place.entry === undefined ? 'dotenv-file' : undefined;
  }

  insert(place: DotenvPlace, _slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change {
    if (place.entry !== undefined || rest.length > 0) return refuse('type-mismatch', 'a variable cannot have children');
    if (where.at !== 'key') return refuse('type-mismatch', 'name the new variable, as in +KEY');
    const { key } = where;
    if (!isKey(key))
      return refuse('parse-error', `${JSON.stringify(key)} is not a variable name; use letters, digits, _ . and -`);
    if (this.#byKey.has(key))
      return refuse('exists', `the variable ${key} already exists; set it without +, or delete it first`);
    const text = variableText(value);
    if (typeof text !== 'string') return text;
    const eol = dominantEol(this.text);
    const areExported = this.#places.length > 0 && this.#places.every(({ entry }) => entry?.isExported === true);
    const line = `${areExported ? 'export ' : ''}${key}=${encodeValue(text, { quote: '', isMultiline: false, eol })}`;
    const end = this.text.length;
    const isComplete = end === 0 || this.text === '\uFEFF' || /[\r\n]$/u.test(this.text);
    return { ok: true, splices: [{ start: end, end, text: isComplete ? line + eol : eol + line }] };
  }

  remove(place: DotenvPlace): Change {
    const { entry } = place;
    if (entry === undefined)
      return refuse('not-writable', 'the whole document cannot be deleted; remove the file instead');
    const earlier = this.#places.find((one) => one.name === place.name);
    if (earlier !== undefined && earlier !== place && this.#byKey.get(place.name) === place)
      return refuse(
        'not-writable',
        `${place.name} is set more than once, and an earlier value would take effect; delete #${earlier.ordinal} first`,
      );
    const { text } = this;
    const isUnterminated = entry.lineEnd === text.length && !/[\r\n]$/u.test(text);
    // Remove the preceding line ending instead, so that a file without a final newline stays without.
    const before = isUnterminated ? (/(?:\r\n|\r|\n)$/u.exec(text.slice(0, entry.lineStart))?.[0].length ?? 0) : 0;
    return { ok: true, splices: [{ start: entry.lineStart - before, end: entry.lineEnd, text: '' }] };
  }

  #valueOf({ entry }: DotenvPlace): string {
    return entry === undefined ? '' : decodeValue(this.text.slice(entry.start, entry.end), entry.quote);
  }
}

/** Numbers and booleans become their spelling. */
function variableText(value: NewValue): string | Refusal {
  const given = 'text' in value ? value.text : value.json;
  if (given === null || Array.isArray(given) || given instanceof JsonObject)
    return refuse('type-mismatch', 'a variable takes a string, not an array, object or null');
  const text = typeof given === 'string' ? given : writeJson(given, { indent: '' });
  return text.includes('\0') ? refuse('parse-error', 'a variable cannot contain the NUL character') : text;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** Decodes a value as written. A line ending in quotes is a newline. */
function decodeValue(written: string, quote: Quote): string {
  if (quote === '') return written;
  const inner = written.slice(1, -1).replaceAll('\r\n', '\n');
  if (quote !== '"') return inner;
  return inner.replace(/\\([\s\S])/gu, (whole, character: string) => ESCAPES[character] ?? whole);
}

interface Style {
  readonly quote: Quote;
  readonly isMultiline: boolean;
  readonly eol: Eol;
}

/** Values that no loader or shell needs quoted. */
const PLAIN = /^[^\s"'`#\\]*$/u;
const NEEDS_ESCAPE = /["\\\r]/u;

/**
 * Writes a value in this style, or in the nearest one that all loaders read alike. Avoids escaped quotes and
 * backslashes, because some loaders keep the backslash.
 */
function encodeValue(value: string, { quote, isMultiline, eol }: Style): string {
  const oneLine = !/[\r\n]/u.test(value);
  const literal = (mark: string): boolean =>
    !value.includes(mark) && !value.endsWith('\\') && (oneLine || (isMultiline && !value.includes('\r')));
  const raw = (mark: string): string => mark + value.replaceAll('\n', eol) + mark;
  if (quote === '' && PLAIN.test(value)) return value;
  if ((quote === "'" || quote === '`') && literal(quote)) return raw(quote);
  if (!NEEDS_ESCAPE.test(value)) return isMultiline ? raw('"') : `"${value.replaceAll('\n', '\\n')}"`;
  if (oneLine && literal("'")) return raw("'");
  const escaped = value.replace(/["\\]/gu, String.raw`\$&`).replaceAll('\r', String.raw`\r`);
  return `"${isMultiline ? escaped.replaceAll('\n', eol) : escaped.replaceAll('\n', String.raw`\n`)}"`;
}
