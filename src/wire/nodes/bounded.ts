/** Limits for a value from another machine: its total size, and what its texts may contain. */
import { integer, isObject, plainText, type Problems, type Schema } from '../schema.ts';

/** A place in a log or in a list of notices. */
export const position = integer({ min: 0, max: 2 ** 48 - 1 });

interface TotalBounds {
  /** Characters of all strings and names, at any depth. */
  readonly text: number;
  /** Members and entries, at any depth. */
  readonly values: number;
}

/** Limits the total size of a value before `schema` checks it. */
/* @__NO_SIDE_EFFECTS__ */
export function bounded<T>(schema: Schema<T>, bounds: TotalBounds): Schema<T> {
  const expected = `a value of at most ${bounds.text} characters and ${bounds.values} values`;
  return {
    shape: schema.shape,
    read(value: unknown, problems: Problems): T | undefined {
      if (isWithin(value, bounds)) return schema.read(value, problems);
      problems.wrong(expected, value);
      return undefined;
    },
  };
}

const LONGEST_TEXT = 4 * 1024;
/** What a command is and prints. It may have any characters, and what displays it makes them visible. */
const CONTENT: ReadonlySet<string> = new Set(['command', 'argv', 'env', 'tail']);

/** As `bounded`; all strings but the content of commands are one line of at most 4 KiB without control characters. */
/* @__NO_SIDE_EFFECTS__ */
export function displayed<T>(schema: Schema<T>, bounds: TotalBounds): Schema<T> {
  const within = bounded(schema, bounds);
  return {
    shape: schema.shape,
    read(value: unknown, problems: Problems): T | undefined {
      const checked = within.read(value, problems);
      return checked === undefined ? undefined : (plainValue(checked) as T);
    },
  };
}

/** The schema has checked the value, so its depth is small. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'string')
    return plainText(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, CONTENT.has(name) ? member : plainValue(member)]),
  );
}

/** Not recursive: the nesting of a hostile value could overflow the stack. */
function isWithin(value: unknown, bounds: TotalBounds): boolean {
  const left: unknown[] = [value];
  let text = 0;
  let values = 0;
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') text += one.length;
    else if (Array.isArray(one)) {
      values += one.length;
      if (values <= bounds.values) for (const entry of one as readonly unknown[]) left.push(entry);
    } else if (isObject(one))
      for (const [name, member] of Object.entries(one)) {
        text += name.length;
        values++;
        left.push(member);
      }
    if (text > bounds.text || values > bounds.values) return false;
  }
  return true;
}
