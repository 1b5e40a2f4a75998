import { type JsonValue, JsonObject, writeJson } from '../../json/value.ts';
import type { JsoncPlace } from '../jsonc/jsonc.ts';
import { entriesOf } from '../jsonc/scan.ts';
import type { Document } from '../../kind.ts';

/** The spaces after `,` and `:`, and inside the outer brackets. */
export interface RecordStyle {
  readonly gap: '' | ' ';
  readonly inset: '' | ' ';
}

const COMPACT: RecordStyle = { gap: '', inset: '' };

/** The style of a record; undefined if it is too small to show one. */
export function styleOf(record: Document<JsoncPlace>): RecordStyle | undefined {
  const { text, root } = record;
  if (text[root.start] !== '{' && text[root.start] !== '[') return undefined;
  const entries = entriesOf(text, root.start);
  const first = entries.next();
  if (first.done === true) return undefined;
  const { keyStart, keyEnd, start, end } = first.value;
  const inset = keyStart > root.start + 1 ? ' ' : '';
  if (keyEnd > keyStart) return { gap: text[start - 1] === ':' ? '' : ' ', inset };
  const second = entries.next();
  if (second.done === true) return undefined;
  return { gap: text.slice(end, second.value.start).endsWith(',') ? '' : ' ', inset };
}

export function writeRecord(value: JsonValue, style: RecordStyle = COMPACT): string {
  const written = writeJson(value, { indent: '', gap: style.gap });
  const isContainer = Array.isArray(value) || value instanceof JsonObject;
  if (style.inset === '' || !isContainer || written.length === 2) return written;
  return `${written[0]}${style.inset}${written.slice(1, -1)}${style.inset}${written.at(-1)}`;
}
