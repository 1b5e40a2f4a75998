/** Small checkers of configuration values: each gives the typed value or a problem with its place, and unknown members are told. */

/** Hears what is wrong; `at` is the place in the dotted form of `pincer config get`. */
export interface Problems {
  wrong(at: string, message: string): void;
  unknown(at: string, known: readonly string[]): void;
}

export type Check<T> = (value: unknown, at: string, problems: Problems) => T | undefined;

/** The type that a checker gives. */
export type Checked<C> = C extends Check<infer T> ? T : never;

export const text: Check<string> = (value, at, problems) =>
  typeof value === 'string' ? value : wrong(value, at, problems, 'a text');

export const flag: Check<boolean> = (value, at, problems) =>
  typeof value === 'boolean' ? value : wrong(value, at, problems, 'true or false');

/** A whole number within bounds. */
export function whole(least: number, most: number): Check<number> {
  return (value, at, problems) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? Number(value)
      : wrong(value, at, problems, `a whole number from ${least} to ${most}`);
}

export function oneOf<const T extends string>(...words: readonly T[]): Check<T> {
  return (value, at, problems) =>
    words.find((word) => word === value) ?? wrong(value, at, problems, `one of ${words.join(', ')}`);
}

/** A list; an entry that does not fit is left out, and told. */
export function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (value, at, problems) => {
    if (!Array.isArray(value)) return wrong(value, at, problems, 'a list');
    return value.flatMap((entry: unknown, i) => {
      const checked = check(entry, `${at}[${i}]`, problems);
      return checked === undefined ? [] : [checked];
    });
  };
}

/** Members with names of the operator's choosing. */
export function recordOf<T>(check: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value, at, problems) => {
    if (!isObject(value)) return wrong(value, at, problems, 'an object');
    const entries = Object.entries(value).flatMap(([name, member]) => {
      const checked = check(member, `${at}.${name}`, problems);
      return checked === undefined ? [] : [[name, checked] as const];
    });
    return Object.fromEntries(entries);
  };
}

type Members = Readonly<Record<string, Check<unknown>>>;
export type ObjectOf<M extends Members> = { readonly [K in keyof M]?: Checked<M[K]> };

/** An object with known members, each of which may be left out. */
export function objectOf<const M extends Members>(members: M): Check<ObjectOf<M>> {
  return (value, at, problems) => {
    if (!isObject(value)) return wrong(value, at, problems, 'an object');
    const checked: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      const place = at === '' ? name : `${at}.${name}`;
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      if (check === undefined) problems.unknown(place, Object.keys(members));
      else if (member !== undefined) {
        const fitting = check(member, place, problems);
        if (fitting !== undefined) checked[name] = fitting;
      }
    }
    return checked as ObjectOf<M>;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(value: unknown, at: string, problems: Problems, wanted: string): undefined {
  const shown = JSON.stringify(value);
  problems.wrong(at, `${at} must be ${wanted}, not ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`);
  return undefined;
}
