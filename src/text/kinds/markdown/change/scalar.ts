import { ExactNumber, JsonObject, type JsonValue } from '../../../json/value.ts';
import { type NewValue, type Refusal, refuse } from '../../../kind.ts';

/** A new value as the text that Markdown can hold; objects, arrays and null have none. */
export function valueText(value: NewValue): string | Refusal {
  if ('text' in value) return value.text;
  const text = jsonText(value.json);
  return text ?? refuse('type-mismatch', 'Markdown holds text here: give a string, a number or a boolean');
}

function jsonText(json: JsonValue): string | undefined {
  if (typeof json === 'string') return json;
  if (typeof json === 'number' || typeof json === 'boolean') return String(json);
  return json instanceof ExactNumber ? json.text : undefined;
}

/** The same, for a spot that is one line. */
export function lineText(value: NewValue): string | Refusal {
  const text = valueText(value);
  return typeof text === 'string' && /[\r\n]/.test(text)
    ? refuse('parse-error', 'the value holds a line break, and this spot in Markdown is one line: write it without')
    : text;
}

/** The members of an object value, undefined for anything else. */
export function valueMembers(value: NewValue): readonly (readonly [string, JsonValue])[] | undefined {
  return 'json' in value && value.json instanceof JsonObject ? value.json.entries : undefined;
}
