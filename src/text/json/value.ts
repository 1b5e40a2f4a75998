/** JSON values that keep the spelling of numbers: 64-bit ids and `1.10` survive reading and writing. */

/** A number whose spelling a double would not preserve. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type JsonValue = null | boolean | number | string | ExactNumber | JsonValue[] | JsonObject;

/** Entries in document order, with duplicates: a JavaScript object would reorder and drop them. */
export class JsonObject {
  readonly entries: readonly (readonly [string, JsonValue])[];
  constructor(entries: readonly (readonly [string, JsonValue])[]) {
    this.entries = entries;
  }
}

/** A number from its JSON spelling. */
export function jsonNumber(text: string): number | ExactNumber {
  const value = Number(text);
  return String(value) === text ? value : new ExactNumber(text);
}

export interface Layout {
  /** One level of indentation; empty for one line. */
  readonly indent: string;
  /** The prefix of every line except the first. */
  readonly margin?: string;
  readonly eol?: string;
  /** On one line: the text after `,` and `:`. Empty for compact, a blank for `{"a": 1, "b": 2}`. */
  readonly gap?: string;
}

export function writeJson(value: JsonValue, layout: Layout): string {
  const { indent, margin = '', eol = '\n', gap = '' } = layout;
  const write = (item: JsonValue, lead: string): string => {
    if (item === null || typeof item === 'boolean' || typeof item === 'number') return String(item);
    if (typeof item === 'string') return JSON.stringify(item);
    if (item instanceof ExactNumber) return item.text;
    const isArray = Array.isArray(item);
    const inner = lead + indent;
    const parts = isArray
      ? item.map((child) => write(child, inner))
      : item.entries.map(([key, child]) => `${JSON.stringify(key)}:${indent || gap ? ' ' : ''}${write(child, inner)}`);
    const [open, close] = isArray ? '[]' : '{}';
    if (parts.length === 0) return `${open}${close}`;
    if (indent === '') return `${open}${parts.join(`,${gap}`)}${close}`;
    return `${open}${eol}${inner}${parts.join(`,${eol}${inner}`)}${eol}${lead}${close}`;
  };
  return write(value, margin);
}

export interface JsonSyntaxError {
  readonly offset: number;
  readonly message: string;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Whether a text is a JSON number, including one that is too large for a double. */
export function hasNumberSpelling(text: string): boolean {
  NUMBER.lastIndex = 0;
  const found = NUMBER.exec(text);
  return found !== null && found[0].length === text.length;
}

/** Whether a text is a JSON number that is finite as a double, and so may be written. */
export function isJsonNumber(text: string): boolean {
  return hasNumberSpelling(text) && Number.isFinite(Number(text));
}

/** Parses strict JSON; errors are returned, not thrown. */
export function readJson(text: string): { readonly value: JsonValue } | { readonly error: JsonSyntaxError } {
  const MAX_DEPTH = 256;
  let at = 0;
  const fail = (message: string): never => {
    throw Object.assign(new Error(message), { offset: at });
  };
  const blanks = () => {
    while (at < text.length && ' \t\r\n'.includes(text[at]!)) at++;
  };
  const string = (): string => {
    const start = at;
    at++;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (Number.isNaN(unit)) fail('the string is not closed');
      if (unit === 34) break;
      if (unit < 32) fail('a control character must be escaped in a string');
      if (unit === 92) at++;
      at++;
    }
    at++;
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      at = start;
      return fail('the string contains an invalid escape');
    }
  };
  const value = (depth: number): JsonValue => {
    if (depth > MAX_DEPTH) fail(`more than ${MAX_DEPTH} levels`);
    blanks();
    const unit = text[at];
    if (unit === '"') return string();
    if (unit === '{') return object(depth);
    if (unit === '[') return array(depth);
    for (const [word, meaning] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    NUMBER.lastIndex = at;
    const found = NUMBER.exec(text);
    if (found === null) return fail(unit === undefined ? 'a value is missing' : `unexpected ${JSON.stringify(unit)}`);
    if (!Number.isFinite(Number(found[0]))) fail(`${found[0]} is not a finite number`);
    at += found[0].length;
    return jsonNumber(found[0]);
  };
  const array = (depth: number): JsonValue[] => {
    const items: JsonValue[] = [];
    at++;
    blanks();
    if (text[at] === ']') at++;
    else
      for (;;) {
        items.push(value(depth + 1));
        blanks();
        if (text[at] === ']') break;
        if (text[at] !== ',') fail("expected ',' or ']'");
        at++;
      }
    if (items.length > 0) at++;
    return items;
  };
  const object = (depth: number): JsonObject => {
    const entries: [string, JsonValue][] = [];
    at++;
    blanks();
    if (text[at] === '}') at++;
    else
      for (;;) {
        blanks();
        if (text[at] !== '"') fail('expected a key in double quotes');
        const key = string();
        blanks();
        if (text[at] !== ':') fail("expected ':'");
        at++;
        entries.push([key, value(depth + 1)]);
        blanks();
        if (text[at] === '}') break;
        if (text[at] !== ',') fail("expected ',' or '}'");
        at++;
      }
    if (entries.length > 0) at++;
    return new JsonObject(entries);
  };
  try {
    const result = value(0);
    blanks();
    if (at < text.length) fail(`unexpected ${JSON.stringify(text[at])} after the value`);
    return { value: result };
  } catch (error) {
    if (error instanceof Error && 'offset' in error) return { error: { offset: at, message: error.message } };
    throw error;
  }
}

/** True for equal values whose numbers are spelled alike. */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  if (typeof left === 'number' || left instanceof ExactNumber) {
    return (typeof right === 'number' || right instanceof ExactNumber) && spelled(left) === spelled(right);
  }
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => sameJson(item, right[at]!));
  }
  if (left instanceof JsonObject) {
    if (!(right instanceof JsonObject) || left.entries.length !== right.entries.length) return false;
    return left.entries.every(
      ([key, item], at) => key === right.entries[at]![0] && sameJson(item, right.entries[at]![1]),
    );
  }
  return left === right;
}

function spelled(value: number | ExactNumber): string {
  return value instanceof ExactNumber ? value.text : String(value);
}
