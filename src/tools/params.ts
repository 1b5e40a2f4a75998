/**
 * From what a model sent to what a tool takes: other names become canonical ones, and the result is held against the
 * schema. A parameter that the tool does not have is refused, because ignoring a misspelt `dryRun` would write.
 */
import { Fault } from '../base/fault.ts';
import type { AliasGroup, PropertySchema, ToolSchema } from './tool.ts';

type Input = Readonly<Record<string, unknown>>;

/** Input with canonical names that fits the schema; a fault names the parameter and its other names. */
export function readParams(tool: string, schema: ToolSchema, aliases: readonly AliasGroup[], input: Input): Input {
  const named = canonical(tool, schema, aliases, input);
  for (const name of schema.required) {
    if (named[name] === undefined) throw missing(tool, name, aliases);
  }
  for (const [name, value] of Object.entries(named)) {
    const property = own(schema.properties, name);
    if (property === undefined) throw unknownParameter(tool, name, schema, aliases);
    check(tool, name, property, value);
  }
  return named;
}

function canonical(tool: string, schema: ToolSchema, aliases: readonly AliasGroup[], input: Input): Input {
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
      throw new Fault('PARAM_CONFLICT', `${tool}: ${chosen} and ${rival} name the same parameter and differ`, {
        hint: `give ${group.keys[0]} only`,
        details: { parameter: group.keys[0] },
      });
    if (input[chosen] === '' && group.allowEmpty !== true) continue;
    named[group.keys[0]] = input[chosen];
  }
  return named;
}

/** The groups of each schema, made once: a batch calls a tool thousands of times. */
const groupsBySchema = /* @__PURE__ */ new WeakMap<ToolSchema, readonly AliasGroup[]>();

/** Every property has its other spelling (`dry_run`) as an alias, beside those that the tool names. */
function groupsOf(schema: ToolSchema, aliases: readonly AliasGroup[]): readonly AliasGroup[] {
  const known = groupsBySchema.get(schema);
  if (known !== undefined) return known;
  const groups = Object.keys(schema.properties).map((name) => {
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

/** A member of the record itself; `toString` is none. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object') return a === b;
  try {
    return JSON.stringify(a) === JSON.stringify(b);
  } catch (error) {
    // Nested so deeply that nobody can tell.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function check(tool: string, name: string, schema: PropertySchema, value: unknown): void {
  if (!hasType(schema.type, value))
    throw new Fault('PARAM_INVALID', `${tool}: ${name} must be ${withArticle(schema.type)}, not ${kindOf(value)}`, {
      details: { parameter: name },
    });
  if (schema.enum !== undefined && !schema.enum.includes(value as string))
    throw new Fault('PARAM_INVALID', `${tool}: ${name} is one of ${schema.enum.join(', ')}`, {
      details: { parameter: name },
    });
  if (schema.minimum !== undefined && (value as number) < schema.minimum)
    throw new Fault('PARAM_INVALID', `${tool}: ${name} must be at least ${schema.minimum}`, {
      details: { parameter: name },
    });
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [i, item] of value.entries()) check(tool, `${name}[${i}]`, schema.items, item);
  }
  if (schema.properties !== undefined) checkObject(tool, name, schema, value as Input);
}

function checkObject(tool: string, name: string, schema: PropertySchema, value: Input): void {
  for (const key of schema.required ?? []) {
    if (own(value, key) === undefined)
      throw new Fault('PARAM_MISSING', `${tool}: ${name}.${key} is missing`, {
        details: { parameter: `${name}.${key}` },
      });
  }
  for (const [key, member] of Object.entries(value)) {
    const property = own(schema.properties ?? {}, key);
    if (property !== undefined) check(tool, `${name}.${key}`, property, member);
    else if (schema.additionalProperties === false)
      throw new Fault('PARAM_UNKNOWN', `${tool}: ${name} has no ${key}`, {
        hint: `it takes ${Object.keys(schema.properties ?? {}).join(', ')}`,
        details: { parameter: `${name}.${key}` },
      });
  }
}

function hasType(type: PropertySchema['type'], value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

function withArticle(type: string): string {
  return `${/^[aeio]/u.test(type) ? 'an' : 'a'} ${type}`;
}

/** What a value is, for whoever sent another: its content may be long, or nested deeply. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return `one as large as ${value}`;
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

function missing(tool: string, name: string, aliases: readonly AliasGroup[]): Fault {
  const others = aliases.find(({ keys }) => keys[0] === name)?.keys.slice(1) ?? [];
  const also = others.length === 0 ? '' : ` (also called ${others.join(', ')})`;
  return new Fault('PARAM_MISSING', `${tool}: the parameter ${name}${also} is missing`, {
    details: { parameter: name, aliases: others },
  });
}

function unknownParameter(tool: string, name: string, schema: ToolSchema, aliases: readonly AliasGroup[]): Fault {
  const others = aliases.flatMap(({ keys }) => keys.slice(1));
  const also = others.length === 0 ? '' : ` (also called ${others.join(', ')})`;
  return new Fault('PARAM_UNKNOWN', `${tool} has no parameter ${JSON.stringify(name)}`, {
    hint: `it takes ${Object.keys(schema.properties).join(', ')}${also}`,
    details: { parameter: name },
  });
}
