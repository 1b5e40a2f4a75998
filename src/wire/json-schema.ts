/** Converts schemas to JSON Schema (draft 2020-12), limited to the keywords that every model provider supports. */
import type { Schema, Shape } from './schema.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Objects that become references to `#/$defs/<name>`. */
type Shared = Readonly<Record<string, Schema<unknown>>>;

export function jsonSchema({ shape }: Schema<unknown>, shared: Shared = {}): JsonSchema {
  const name = Object.keys(shared).find((key) => isSameObject(shared[key]!.shape, shape));
  return name === undefined ? wholeSchema(shape, shared) : { $ref: `#/$defs/${name}`, ...notesOf(shape) };
}

/** The targets of the references. */
export function definitions(shared: Shared): JsonSchema {
  return Object.fromEntries(Object.entries(shared).map(([name, { shape }]) => [name, wholeSchema(shape, shared)]));
}

function isSameObject(one: Shape, other: Shape): boolean {
  return one.type === 'object' && other.type === 'object' && one.members === other.members;
}

/** Keeps the order of the declaration, so that every process sends the same bytes to a provider. */
function wholeSchema(shape: Shape, shared: Shared): JsonSchema {
  const parts = Object.keys(shape).map((part) =>
    part === 'description' || part === 'default' ? notesOf(shape) : partOf(part, shape, shared),
  );
  return Object.assign({}, ...parts) as JsonSchema;
}

function notesOf({ description, default: value, defaultNote }: Shape): JsonSchema {
  const text = defaultNote === undefined ? description : `${description} (default: ${defaultNote})`;
  return { ...(text === undefined ? {} : { description: text }), ...(value === undefined ? {} : { default: value }) };
}

const MAX_KEYWORDS: Readonly<Partial<Record<Shape['type'], string>>> = {
  string: 'maxLength',
  array: 'maxItems',
  record: 'maxProperties',
};

function partOf(part: string, shape: Shape, shared: Shared): JsonSchema {
  if (part === 'type') return typeOf(shape);
  if (part === 'min' && 'min' in shape) return { minimum: shape.min };
  if (part === 'max' && 'max' in shape) return { [MAX_KEYWORDS[shape.type] ?? 'maximum']: shape.max };
  if (part === 'pattern' && 'pattern' in shape) return { pattern: shape.pattern?.source };
  if (part === 'items' && shape.type === 'array') return { items: jsonSchema(shape.items, shared) };
  if (part === 'values' && shape.type === 'enum') return { enum: shape.values };
  if (part === 'values' && shape.type === 'record') return membersOf(jsonSchema(shape.values, shared));
  if (part === 'cases' && 'cases' in shape) return { anyOf: shape.cases.map((one) => jsonSchema(one, shared)) };
  if (part !== 'members' || shape.type !== 'object') return {};
  const properties = Object.entries(shape.members).map(([name, member]) => [name, jsonSchema(member, shared)]);
  return {
    properties: Object.fromEntries(properties),
    ...(shape.required.length === 0 ? {} : { required: shape.required }),
    additionalProperties: false,
  };
}

function typeOf(shape: Shape): JsonSchema {
  if (shape.type === 'json' || 'cases' in shape) return {};
  if (shape.type === 'enum') return { type: typeof shape.values[0] };
  return { type: shape.type === 'record' ? 'object' : shape.type === 'bytes' ? 'string' : shape.type };
}

/** For members of any name; an empty schema needs no keyword. */
function membersOf(values: JsonSchema): JsonSchema {
  return Object.keys(values).length === 0 ? {} : { additionalProperties: values };
}
