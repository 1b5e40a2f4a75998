/**
 * Small checkers of configuration values: each gives the typed value or a problem with its place, unknown members are told, and
 * each says what it takes, so that the JSON Schema, the table in the documents and the names of variables come from it too.
 */
import { below } from './setting-path.ts';
import { bytesOf } from './sizes.ts';

/** Hears what is wrong; `at` is the place in the form of `pincer config get`. */
export interface Problems {
  wrong(at: string, message: string): void;
  unknown(at: string, known: readonly string[]): void;
}

/** What a checker takes. */
export type Shape =
  | { readonly type: 'text' | 'flag' | 'size' }
  | { readonly type: 'whole' | 'amount'; readonly least: number; readonly most: number }
  | { readonly type: 'word'; readonly words: readonly string[] }
  | { readonly type: 'list' | 'record'; readonly of: Check<unknown> }
  | { readonly type: 'object'; readonly members: Members };

/** What an operator reads about a setting. */
export interface About {
  readonly summary: string;
  /** What holds where nobody says it; undefined where nothing does. */
  readonly fallback?: unknown;
  /** What holds where nobody says it, where that is no one value. */
  readonly otherwise?: string;
}

export interface Check<T> {
  (value: unknown, at: string, problems: Problems): T | undefined;
  readonly shape: Shape;
  readonly about?: About;
}

/** The type that a checker gives. */
export type Checked<C> = C extends Check<infer T> ? T : never;

function check<T>(shape: Shape, look: (value: unknown, at: string, problems: Problems) => T | undefined): Check<T> {
  return Object.assign(look, { shape });
}

/** The same checker with a sentence about the setting, and with what holds where nobody says it. */
export function say<T>(taker: Check<T>, summary: string, about: Omit<About, 'summary'> = {}): Check<T> {
  const look = (value: unknown, at: string, problems: Problems): T | undefined => taker(value, at, problems);
  return Object.assign(look, { shape: taker.shape, about: { summary, ...about } });
}

export const text: Check<string> = check({ type: 'text' }, (value, at, problems) =>
  typeof value === 'string' ? value : wrong(value, at, problems, 'a text'),
);

/** The same checker for values that have to be more than of a type; `wanted` goes on after "must be". */
export function fitting<T>(taker: Check<T>, wanted: string, fits: (value: T) => boolean): Check<T> {
  return check(taker.shape, (value, at, problems) => {
    let isWhole = true;
    const taken = taker(value, at, {
      wrong: (place, message) => {
        isWhole = false;
        problems.wrong(place, message);
      },
      unknown: (place, known) => problems.unknown(place, known),
    });
    // What is wrong in a part of it was said already.
    return taken === undefined || !isWhole || fits(taken) ? taken : wrong(value, at, problems, wanted);
  });
}

export const flag: Check<boolean> = check({ type: 'flag' }, (value, at, problems) =>
  typeof value === 'boolean' ? value : wrong(value, at, problems, 'true or false'),
);

/** A whole number within bounds. */
export function whole(least: number, most: number): Check<number> {
  return check({ type: 'whole', least, most }, (value, at, problems) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? Number(value)
      : wrong(value, at, problems, `a whole number from ${least} to ${most}`),
  );
}

/** A number within bounds, also a part of one. */
export function amount(least: number, most: number): Check<number> {
  return check({ type: 'amount', least, most }, (value, at, problems) =>
    typeof value === 'number' && value >= least && value <= most
      ? value
      : wrong(value, at, problems, `a number from ${least} to ${most}`),
  );
}

/** A number of bytes, or a text such as `512m`; it is kept as it was written. */
export const size: Check<number | string> = check({ type: 'size' }, (value, at, problems) =>
  bytesOf(value) === undefined
    ? wrong(value, at, problems, 'a size such as "512m" or "2g"')
    : (value as number | string),
);

export function oneOf<const T extends string>(...words: readonly T[]): Check<T> {
  return check(
    { type: 'word', words },
    (value, at, problems) =>
      words.find((word) => word === value) ?? wrong(value, at, problems, `one of ${words.join(', ')}`),
  );
}

/** A list; an entry that does not fit is left out, and told. */
export function listOf<T>(of: Check<T>): Check<readonly T[]> {
  return check({ type: 'list', of }, (value, at, problems) => {
    if (!Array.isArray(value)) return wrong(value, at, problems, 'a list');
    return value.flatMap((entry: unknown, i) => {
      const checked = of(entry, below(at, i), problems);
      return checked === undefined ? [] : [checked];
    });
  });
}

/** JavaScript keeps this name for itself: laying one object over another would change what the object is. */
export const NO_NAME = '__proto__';

/** Members with names of the operator's choosing. */
export function recordOf<T>(of: Check<T>): Check<Readonly<Record<string, T>>> {
  return check({ type: 'record', of }, (value, at, problems) => {
    if (!isObject(value)) return wrong(value, at, problems, 'an object');
    const entries = Object.entries(value).flatMap(([name, member]) => {
      if (name === NO_NAME) problems.wrong(below(at, name), `${below(at, name)} is a name that nothing may have`);
      const checked = name === NO_NAME ? undefined : of(member, below(at, name), problems);
      return checked === undefined ? [] : [[name, checked] as const];
    });
    return Object.fromEntries(entries);
  });
}

type Members = Readonly<Record<string, Check<unknown>>>;
export type ObjectOf<M extends Members> = { readonly [K in keyof M]?: Checked<M[K]> };

/** An object with known members, each of which may be left out. */
export function objectOf<const M extends Members>(members: M): Check<ObjectOf<M>> {
  return check({ type: 'object', members }, (value, at, problems) => {
    if (!isObject(value)) return wrong(value, at, problems, 'an object');
    const checked: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      const place = below(at, name);
      const taker = Object.hasOwn(members, name) ? members[name] : undefined;
      if (taker === undefined) problems.unknown(place, Object.keys(members));
      else if (member !== undefined) {
        const fitting = taker(member, place, problems);
        if (fitting !== undefined) checked[name] = fitting;
      }
    }
    return checked as ObjectOf<M>;
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(value: unknown, at: string, problems: Problems, wanted: string): undefined {
  // JSON5 knows numbers that JSON has no word for.
  const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  const cut = shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
  problems.wrong(at, `${at === '' ? 'the file' : at} must be ${wanted}, not ${cut}`);
  return undefined;
}
