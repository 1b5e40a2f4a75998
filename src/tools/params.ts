/**
 * Checks the parameters of a model: replaces aliases by canonical names, and validates the result against the schema. Refuses
 * unknown parameters, because ignoring a misspelt `dryRun` would write.
 */
import { Fault } from '../base/fault.ts';
import { mismatchText, placeText, type Step } from '../wire/mismatch.ts';
import type { Infer, ObjectSchema } from '../wire/schema.ts';
import type { AliasGroup } from './tool.ts';

type Input = Readonly<Record<string, unknown>>;

/** A fault names the parameter and its aliases. */
export function readParams<S extends ObjectSchema>(
  tool: string,
  schema: S,
  aliases: readonly AliasGroup[],
  input: Input,
): Infer<S> & Input {
  const at: Step[] = [];
  return schema.read(canonical(tool, schema, aliases, input), {
    at,
    wrong(expected, value) {
      if (value !== undefined) throw invalid(tool, placeText(at), expected, value);
      throw missing(tool, placeText(at), at.length === 1 ? aliases : undefined);
    },
    unknown(name, known) {
      throw at.length === 0
        ? unknownParameter(tool, name, known, aliases)
        : unknownMember(tool, placeText(at), name, known);
    },
  }) as Infer<S> & Input;
}

function canonical(tool: string, schema: ObjectSchema, aliases: readonly AliasGroup[], input: Input): Input {
  const groups = groupsOf(schema, aliases);
  const grouped = new Set(groups.flatMap((group) => group.keys));
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!grouped.has(name) && value !== undefined && value !== null) setOwn(named, name, value);
  }
  for (const group of groups) {
    const given = group.keys.filter(
      (key) => Object.hasOwn(input, key) && input[key] !== undefined && input[key] !== null,
    );
    const filled = given.filter((key) => input[key] !== '');
    const [chosen] = filled.length > 0 ? filled : given;
    if (chosen === undefined) continue;
    const rival = filled.find((key) => !sameValue(input[key], input[chosen]));
    if (rival !== undefined)
      throw new Fault(
        'PARAM_CONFLICT',
        `${tool}: ${chosen} and ${rival} are the same parameter with different values`,
        {
          hint: `send only ${group.keys[0]}`,
          details: { parameter: group.keys[0] },
        },
      );
    if (input[chosen] === '' && group.allowEmpty !== true) continue;
    named[group.keys[0]] = input[chosen];
  }
  return named;
}

/** Cached: a batch calls a tool thousands of times. */
const groupsBySchema = /* @__PURE__ */ new WeakMap<ObjectSchema, readonly AliasGroup[]>();

/** Every property also has its snake_case name as an alias. */
function groupsOf(schema: ObjectSchema, aliases: readonly AliasGroup[]): readonly AliasGroup[] {
  const known = groupsBySchema.get(schema);
  if (known !== undefined) return known;
  const groups = Object.keys({ ...schema.required, ...schema.optional }).map((name) => {
    const group = aliases.find(({ keys }) => keys[0] === name);
    const keys = [...new Set([name, ...(group?.keys ?? []), name.replace(/[A-Z]/gu, (c) => `_${c.toLowerCase()}`)])];
    const allowEmpty = group === undefined || group.allowEmpty === true ? { allowEmpty: true as const } : {};
    return { keys: keys as [string, ...string[]], ...allowEmpty };
  });
  groupsBySchema.set(schema, groups);
  return groups;
}

function setOwn(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object') return a === b;
  try {
    return JSON.stringify(a) === JSON.stringify(b);
  } catch (error) {
    // Nested too deeply to compare.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export function invalid(tool: string, parameter: string, expected: string, value: unknown, hint?: string): Fault {
  return new Fault('PARAM_INVALID', `${tool}: ${mismatchText(parameter, expected, value)}`, {
    ...(hint === undefined ? {} : { hint }),
    details: { parameter },
  });
}

function missing(tool: string, parameter: string, aliases: readonly AliasGroup[] | undefined): Fault {
  if (aliases === undefined)
    return new Fault('PARAM_MISSING', `${tool}: ${parameter} is missing`, { details: { parameter } });
  const others = aliases.find(({ keys }) => keys[0] === parameter)?.keys.slice(1) ?? [];
  const also = others.length === 0 ? '' : ` (also called ${others.join(', ')})`;
  return new Fault('PARAM_MISSING', `${tool}: the parameter ${parameter}${also} is missing`, {
    details: { parameter, aliases: others },
  });
}

function unknownParameter(tool: string, name: string, known: readonly string[], aliases: readonly AliasGroup[]): Fault {
  const others = aliases.flatMap(({ keys }) => keys.slice(1));
  const also = others.length === 0 ? '' : ` (also called ${others.join(', ')})`;
  return new Fault('PARAM_UNKNOWN', `${tool} has no parameter ${JSON.stringify(name)}`, {
    hint: `it has ${known.join(', ')}${also}`,
    details: { parameter: name },
  });
}

function unknownMember(tool: string, place: string, name: string, known: readonly string[]): Fault {
  return new Fault('PARAM_UNKNOWN', `${tool}: ${place} has no member ${name}`, {
    ...(known.length === 0 ? {} : { hint: `it has ${known.join(', ')}` }),
    details: { parameter: `${place}.${name}` },
  });
}
