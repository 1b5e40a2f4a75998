/** A form from the JSON Schema of a tool, and the arguments that its fields make. */
import {
  array,
  boolean,
  check,
  type Infer,
  json,
  literal,
  number,
  object,
  partial,
  record,
  string,
} from '../../../wire/schema.ts';

const property = object(
  { type: string() },
  {
    description: string(),
    enum: array(string()),
    minimum: number(),
    maximum: number(),
    items: json(),
    properties: json(),
  },
);
const toolSchema = object(
  { type: literal('object'), properties: record(property) },
  { required: array(string()), additionalProperties: boolean() },
);

/** `choice` has a closed list of values; arrays and objects are written as JSON. */
export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';

export interface FormField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description: string;
  readonly choices: readonly string[];
  readonly minimum?: number | undefined;
  /** Of a JSON field: what the text must be. */
  readonly jsonType?: 'array' | 'object';
}

/** What a person has written, by the name of the field. An empty text of an optional field is left out. */
export type FormTexts = Readonly<Record<string, string>>;

export type FormResult =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>> };

/** The required fields first, else in the order of the schema. */
export function fieldsOf(schema: unknown): readonly FormField[] {
  const { properties, required = [] } = check(toolSchema, schema, 'inputSchema');
  const fields = Object.entries(properties).map(([name, one]) => fieldOf(name, one, required.includes(name)));
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

function fieldOf(name: string, one: Infer<typeof property>, isRequired: boolean): FormField {
  const { type, description = '', enum: choices = [], minimum } = one;
  const shared = { name, isRequired, description, choices, ...(minimum === undefined ? {} : { minimum }) };
  if (choices.length > 0) return { ...shared, kind: 'choice' };
  switch (type) {
    case 'boolean':
      return { ...shared, kind: 'boolean', choices: ['true', 'false'] };
    case 'number':
    case 'integer':
      return { ...shared, kind: type };
    case 'string':
      return { ...shared, kind: 'text' };
    case 'array':
    case 'object':
      return { ...shared, kind: 'json', jsonType: type };
    default:
      return { ...shared, kind: 'json' };
  }
}

export function argumentsOf(fields: readonly FormField[], texts: FormTexts): FormResult {
  const args: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? '';
    const isEmpty = field.kind === 'text' ? text === '' : text.trim() === '';
    if (isEmpty && !(field.isRequired && field.kind === 'text')) {
      if (field.isRequired) problems[field.name] = 'This value is required.';
      continue;
    }
    const read = valueOf(field, text);
    if ('problem' in read) problems[field.name] = read.problem;
    else args[field.name] = read.value;
  }
  return Object.keys(problems).length === 0 ? { ok: true, args } : { ok: false, problems };
}

function valueOf(field: FormField, text: string): { readonly value: unknown } | { readonly problem: string } {
  switch (field.kind) {
    case 'text':
    case 'choice':
      return { value: text };
    case 'boolean':
      return { value: text === 'true' };
    case 'number':
    case 'integer':
      return numberOf(field, text.trim());
    case 'json':
      return jsonOf(field, text);
  }
}

function numberOf({ kind, minimum }: FormField, text: string): ReturnType<typeof valueOf> {
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: 'This is not a number.' };
  if (kind === 'integer' && !Number.isSafeInteger(value)) return { problem: 'This is not a whole number.' };
  if (minimum !== undefined && value < minimum) return { problem: `The minimum is ${minimum}.` };
  return { value };
}

function jsonOf({ jsonType }: FormField, text: string): ReturnType<typeof valueOf> {
  try {
    const value: unknown = JSON.parse(text);
    if (jsonType === 'array' && !Array.isArray(value)) return { problem: 'This is not a JSON array: ["a", "b"].' };
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (jsonType === 'object' && !isObject) return { problem: 'This is not a JSON object: {"name": "value"}.' };
    return { value };
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` };
  }
}

/** Nothing else of the details is needed here. */
export const pendingDetails = partial({
  status: string(),
  approvalSlug: string(),
  approvalId: string(),
  sessionId: string(),
});
