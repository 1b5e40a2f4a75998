import { isJsonNumber, type JsonValue, jsonNumber, readJson } from '../../json/value.ts';
import { type LeafType, type NewValue, type Refusal, refuse } from '../../kind.ts';

/** The value to write over a leaf: text is coerced to the type of the leaf, JSON stays unchanged. */
export function coerceToLeaf(type: LeafType, value: NewValue): { readonly value: JsonValue } | Refusal {
  if ('json' in value) return { value: value.json };
  const { text } = value;
  if (type === 'string') return { value: text };
  if (type === 'number' && isJsonNumber(text)) return { value: jsonNumber(text) };
  if (type === 'boolean' && (text === 'true' || text === 'false')) return { value: text === 'true' };
  if (type === 'null' && text === 'null') return { value: null };
  const wanted = { number: 'a finite number in JSON spelling', boolean: 'true or false', null: 'null' }[type];
  return refuse('parse-error', `${JSON.stringify(text)} is not ${wanted}; --value-json writes a value of another type`);
}

export function coerceToJson(value: NewValue): { readonly value: JsonValue } | Refusal {
  if ('json' in value) return { value: value.json };
  const read = readJson(value.text);
  if ('value' in read) return read;
  return refuse(
    'parse-error',
    `${JSON.stringify(value.text)} is not JSON (${read.error.message}); write a string as '"text"'`,
  );
}
