import { ExactNumber, JsonObject, type JsonValue } from '../../../json/value.ts';
import { type NewValue, type Refusal, refuse } from '../../../kind.ts';

/** A value as Markdown text. Refuses objects, arrays and null. */
export function valueText(value: NewValue): string | Refusal {
  if ('text' in value) return value.text;
  const text = jsonText(value.json);
  return text ?? refuse('type-mismatch', 'Markdown stores text here; use a string, a number or a boolean');
}

function jsonText(json: JsonValue): string | undefined {
  if (typeof json === 'string') return json;
  if (typeof json === 'number' || typeof json === 'boolean') return String(json);
  return json instanceof ExactNumber ? json.text : undefined;
}

/** `valueText` for a place of one line. */
export function lineText(value: NewValue): string | Refusal {
  const text = valueText(value);
  return typeof text === 'string' && /[\r\n]/.test(text)
    ? refuse('parse-error', 'the value contains a line break, but this place is a single line')
    : text;
}

export function valueMembers(value: NewValue): readonly (readonly [string, JsonValue])[] | undefined {
  return 'json' in value && value.json instanceof JsonObject ? value.json.entries : undefined;
}
