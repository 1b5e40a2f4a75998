/**
 * Declares the shape of a value once: its type, its check and its JSON Schema come from the declaration.
 * A check rebuilds the value from the known members, so unknown members never pass.
 */
import { isOrdinaryInProse, replaceHidden } from '../base/hidden-characters.ts';
import { Mismatch, placeText, type Step } from './mismatch.ts';

/** Receives the problems of a value. `wrong` may throw to stop at the first problem. */
export interface Problems {
  /** The place that is being checked, from the root. */
  readonly at: Step[];
  /** The value at this place does not match; it is undefined where a required member is missing. */
  wrong(expected: string, value: unknown): void;
  /** The object at this place has an unknown member, which is dropped. */
  unknown(name: string, known: readonly string[]): void;
}

export interface Notes {
  readonly description?: string;
  readonly default?: unknown;
  /** A description of the default, where it is not a fixed value. */
  readonly defaultNote?: string;
}

/** The bounds of opaque JSON. */
export interface JsonBounds {
  readonly depth: number;
  /** All members and entries, at any depth. */
  readonly values: number;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

interface StringOptions {
  /** The maximum length in UTF-16 units. */
  readonly max?: number;
  readonly pattern?: RegExp;
  /** Replaces control and format characters by blanks, for display in a terminal. */
  readonly plain?: true;
}

interface SizeOptions {
  /** The maximum number of entries. */
  readonly max?: number;
}

/** The declaration as data, in declaration order. */
export type Shape = Notes & { readonly orUndefined?: true } & (
    | ({ readonly type: 'string' } & StringOptions)
    | ({ readonly type: 'integer' | 'number' } & Bounds)
    | { readonly type: 'boolean' | 'bytes' }
    | { readonly type: 'enum'; readonly values: readonly (string | boolean)[] }
    | ({ readonly type: 'array'; readonly items: Schema<unknown> } & SizeOptions)
    | ({ readonly type: 'record'; readonly values: Schema<unknown> } & SizeOptions)
    | { readonly type: 'object'; readonly members: Members; readonly required: readonly string[] }
    | { readonly type: 'union'; readonly key: string; readonly cases: readonly Schema<unknown>[] }
    | { readonly type: 'anyOf'; readonly cases: readonly Schema<unknown>[] }
    | { readonly type: 'json' }
  );

export interface Schema<out T> {
  readonly shape: Shape;
  /** Returns the rebuilt value; undefined where it does not match, which is reported to `problems`. */
  read(value: unknown, problems: Problems): T | undefined;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

export type Members = Readonly<Record<string, Schema<unknown>>>;
type NoMembers = { readonly [K in never]: Schema<unknown> };
type Flat<T> = { [K in keyof T]: T[K] };
type ObjectOf<R extends Members, O extends Members> = Flat<
  { readonly [K in keyof R]: Infer<R[K]> } & { readonly [K in keyof O]?: Infer<O[K]> }
>;

/** Its members can be spread into the declaration of another object. */
export interface ObjectSchema<R extends Members = Members, O extends Members = Members> extends Schema<ObjectOf<R, O>> {
  readonly required: R;
  readonly optional: O;
}

/** On one line, with a blank in place of each character that controls a terminal, changes the direction of text or hides. */
export function plainText(text: string): string {
  return replaceHidden(text, (hidden) => (isOrdinaryInProse(hidden) ? hidden : ' '));
}

/* @__NO_SIDE_EFFECTS__ */
export function string(options: StringOptions & Notes = {}): Schema<string> {
  const { max = Number.POSITIVE_INFINITY, pattern, plain } = options;
  const expected = max === Number.POSITIVE_INFINITY ? 'a string' : `a string of at most ${max} characters`;
  return {
    shape: { type: 'string', ...options },
    read(value, problems) {
      if (typeof value !== 'string' || value.length > max) return mismatch(problems, expected, value);
      if (pattern?.test(value) === false) return mismatch(problems, `a string that matches ${pattern}`, value);
      return plain === true ? plainText(value) : value;
    },
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function boolean(notes: Notes = {}): Schema<boolean> {
  return {
    shape: { type: 'boolean', ...notes },
    read: (value, problems) => (typeof value === 'boolean' ? value : mismatch(problems, 'true or false', value)),
  };
}

/** A safe integer. */
/* @__NO_SIDE_EFFECTS__ */
export function integer(options: Bounds & Notes = {}): Schema<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  return {
    shape: { type: 'integer', ...options },
    read(value, problems) {
      if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
      const isTooLarge = Number.isInteger(value) && options.max === undefined && Number(value) > max;
      return mismatch(problems, `an integer${range(isTooLarge ? { ...options, max } : options)}`, value);
    },
  };
}

/** A finite number. */
/* @__NO_SIDE_EFFECTS__ */
export function number(options: Bounds & Notes = {}): Schema<number> {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = options;
  return {
    shape: { type: 'number', ...options },
    read: (value, problems) =>
      typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max
        ? value
        : mismatch(problems, `a number${range(options)}`, value),
  };
}

function range({ min, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  return min === undefined ? (max === undefined ? '' : ` of at most ${max}`) : ` of at least ${min}`;
}

/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const V extends string>(values: readonly V[], notes: Notes = {}): Schema<V> {
  return {
    shape: { type: 'enum', ...notes, values },
    read: (value, problems) =>
      values.find((one) => one === value) ?? mismatch(problems, `one of ${values.join(', ')}`, value),
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function literal<const V extends string | boolean>(only: V): Schema<V> {
  return {
    shape: { type: 'enum', values: [only] },
    read: (value, problems) => (value === only ? only : mismatch(problems, JSON.stringify(only), value)),
  };
}

/** Bytes are sent in their own frames, never in JSON. */
export const bytes: Schema<Uint8Array> = {
  shape: { type: 'bytes' },
  read: (value, problems) => (value instanceof Uint8Array ? value : mismatch(problems, 'bytes', value)),
};

/** Any JSON, passed on unchanged. */
/* @__NO_SIDE_EFFECTS__ */
export function json(bounds?: JsonBounds): Schema<unknown> {
  return {
    shape: { type: 'json' },
    read: (value, problems) =>
      bounds === undefined || isWithin(value, bounds)
        ? value
        : mismatch(problems, `JSON of at most ${bounds.depth} levels and ${bounds.values} values`, value),
  };
}

/** Not recursive: the nesting of a hostile value could overflow the stack. */
function isWithin(value: unknown, { depth, values }: JsonBounds): boolean {
  let level: readonly unknown[] = [value];
  let count = 0;
  for (let levels = 0; level.length > 0; levels++) {
    if (levels > depth || count > values) return false;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    count += level.length;
  }
  return true;
}

/** Entries that do not match are dropped. */
/* @__NO_SIDE_EFFECTS__ */
export function array<T>(items: Schema<T>, options: SizeOptions & Notes = {}): Schema<readonly T[]> {
  const { max = Number.POSITIVE_INFINITY } = options;
  const expected = max === Number.POSITIVE_INFINITY ? 'an array' : `an array of at most ${max} entries`;
  return {
    shape: { type: 'array', ...options, items },
    read(value, problems) {
      if (!Array.isArray(value) || value.length > max) return mismatch(problems, expected, value);
      const entries: T[] = [];
      for (const [i, entry] of value.entries()) {
        const read = readAt(i, items, entry, problems);
        if (read !== undefined) entries.push(read);
      }
      return entries;
    },
  };
}

/** An assignment to this member would replace the prototype of the object. */
export const PROTOTYPE_NAME = '__proto__';

/** An object with members of any name except `__proto__`. */
/* @__NO_SIDE_EFFECTS__ */
export function record<T>(values: Schema<T>, options: SizeOptions & Notes = {}): Schema<Readonly<Record<string, T>>> {
  const { max = Number.POSITIVE_INFINITY } = options;
  return {
    shape: { type: 'record', ...options, values },
    read(value, problems) {
      if (!isObject(value)) return mismatch(problems, 'an object', value);
      const names = Object.keys(value);
      if (names.length > max) return mismatch(problems, `an object of at most ${max} members`, value);
      const members: Record<string, T> = {};
      for (const name of names) {
        if (name === PROTOTYPE_NAME) problems.unknown(name, []);
        else {
          const read = readAt(name, values, value[name], problems);
          if (read !== undefined) members[name] = read;
        }
      }
      return members;
    },
  };
}

/** An object with known members. */
/* @__NO_SIDE_EFFECTS__ */
export function object<R extends Members, O extends Members = NoMembers>(
  required: R,
  optional: O = {} as O,
): ObjectSchema<R, O> {
  const members: Members = { ...required, ...optional };
  const known = Object.keys(members);
  const needed = Object.keys(required).filter((name) => required[name]?.shape.orUndefined !== true);
  return {
    required,
    optional,
    shape: { type: 'object', members, required: needed },
    read(value, problems) {
      if (!isObject(value)) return mismatch(problems, 'an object', value);
      for (const name of needed)
        if (!Object.hasOwn(value, name) || value[name] === undefined) readAt(name, members[name]!, undefined, problems);
      const read: Record<string, unknown> = {};
      for (const [name, member] of Object.entries(value)) {
        if (!Object.hasOwn(members, name)) problems.unknown(name, known);
        else if (member !== undefined) {
          const inner = readAt(name, members[name]!, member, problems);
          if (inner !== undefined) read[name] = inner;
        }
      }
      return read as ObjectOf<R, O>;
    },
  };
}

/** An object with known members, all of them optional. */
/* @__NO_SIDE_EFFECTS__ */
export function partial<O extends Members>(optional: O): ObjectSchema<NoMembers, O> {
  return object({}, optional);
}

/** An unknown member is a mismatch: without it, the object would mean more than its sender wanted. */
/* @__NO_SIDE_EFFECTS__ */
export function closed<R extends Members, O extends Members>(schema: ObjectSchema<R, O>): ObjectSchema<R, O> {
  const known = Object.keys({ ...schema.required, ...schema.optional });
  return {
    ...schema,
    read(value, problems) {
      if (!isObject(value) || Object.keys(value).every((name) => known.includes(name)))
        return schema.read(value, problems);
      return mismatch(problems, `an object without other members than ${known.join(', ')}`, value);
    },
  };
}

/** One of several objects; the value of the member `key` selects which. */
/* @__NO_SIDE_EFFECTS__ */
export function union<const C extends readonly ObjectSchema[]>(key: string, ...cases: C): Schema<Infer<C[number]>> {
  const byTag = new Map<unknown, Schema<unknown>>();
  for (const one of cases) {
    const tag = one.required[key]?.shape;
    if (tag?.type === 'enum') for (const value of tag.values) byTag.set(value, one);
  }
  const expected = `one of ${[...byTag.keys()].join(', ')}`;
  return {
    shape: { type: 'union', key, cases },
    read(value, problems) {
      if (!isObject(value)) return mismatch(problems, 'an object', value);
      const tag = Object.hasOwn(value, key) ? value[key] : undefined;
      const found = byTag.get(tag);
      if (found !== undefined) return found.read(value, problems) as Infer<C[number]> | undefined;
      problems.at.push(key);
      problems.wrong(expected, tag);
      problems.at.pop();
      return undefined;
    },
  };
}

/** The first matching schema decides. */
/* @__NO_SIDE_EFFECTS__ */
export function anyOf<const C extends readonly Schema<unknown>[]>(
  expected: string,
  ...cases: C
): Schema<Infer<C[number]>> {
  return {
    shape: { type: 'anyOf', cases },
    read(value, problems) {
      for (const one of cases) {
        let matches = true;
        const fail = (): void => {
          matches = false;
        };
        const read = one.read(value, { at: [...problems.at], wrong: fail, unknown: fail });
        if (matches) return read as Infer<C[number]>;
      }
      return mismatch(problems, expected, value);
    },
  };
}

/** Adds a test to a schema. `expected` completes a sentence that begins with "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function refine<T>(schema: Schema<T>, expected: string, test: (value: T) => boolean): Schema<T> {
  return {
    shape: schema.shape,
    read(value, problems) {
      let matches = true;
      const read = schema.read(value, {
        at: problems.at,
        wrong(inner, found) {
          matches = false;
          problems.wrong(inner, found);
        },
        unknown: (name, known) => problems.unknown(name, known),
      });
      return read === undefined || !matches || test(read) ? read : mismatch(problems, expected, value);
    },
  };
}

/** For a member that always exists in the program, and is absent in JSON where it is undefined. */
/* @__NO_SIDE_EFFECTS__ */
export function orUndefined<T>(schema: Schema<T>): Schema<T | undefined> {
  return { ...schema, shape: { ...schema.shape, orUndefined: true } };
}

/** Adds a description, which comes last in the JSON Schema. */
/* @__NO_SIDE_EFFECTS__ */
export function describe<S extends Schema<unknown>>(
  schema: S,
  description: string,
  notes: Omit<Notes, 'description'> = {},
): S {
  return { ...schema, shape: { ...schema.shape, description, ...notes } };
}

/** Returns the rebuilt value, or throws a `Mismatch` at the first problem. */
export function check<T>(schema: Schema<T>, value: unknown, name: string): T {
  const at: Step[] = [];
  return schema.read(value, {
    at,
    wrong(expected, found) {
      throw new Mismatch(placeText(at, name), expected, found);
    },
    unknown() {},
  }) as T;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readAt<T>(step: Step, schema: Schema<T>, value: unknown, problems: Problems): T | undefined {
  problems.at.push(step);
  const read = schema.read(value, problems);
  problems.at.pop();
  return read;
}

function mismatch(problems: Problems, expected: string, value: unknown): undefined {
  problems.wrong(expected, value);
  return undefined;
}
