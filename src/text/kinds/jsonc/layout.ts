/** The formatting of a container, so that new entries match their neighbours. */
import { dominantEol } from '../../lines/eol.ts';
import { lineStart } from '../../lines/position.ts';
import { type JsonValue, JsonObject, writeJson } from '../../json/value.ts';
import { type Entry, entriesOf } from './scan.ts';

export interface ContainerLayout {
  readonly entries: readonly Entry[];
  /** Offset of the closing bracket. */
  readonly close: number;
  /** The text between a key and its value. */
  readonly colon: string;
  readonly eol: string;
  /** One level of indentation in this document. */
  readonly unit: string;
  /** The indentation of entries that start a line. */
  readonly margin: string;
}

export function layoutOf(text: string, open: number, end: number): ContainerLayout {
  const entries = [...entriesOf(text, open)];
  const eol = dominantEol(text);
  const unit = indentUnit(text);
  const first = entries.find((entry) => startsItsLine(text, entry.keyStart));
  const margin = first === undefined ? `${marginOf(text, open)}${unit}` : marginOf(text, first.keyStart);
  return { entries, close: end - 1, colon: colonOf(text, entries, unit), eol, unit, margin };
}

/** The indentation of the line at `offset`. */
export function marginOf(text: string, offset: number): string {
  const start = lineStart(text, offset);
  let at = text.charCodeAt(start) === 0xfeff ? start + 1 : start;
  const from = at;
  while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at++;
  return text.slice(from, at);
}

/** True if only blanks precede it on its line, which is not the first. Reads only them: a whole file may be one line. */
export function startsItsLine(text: string, offset: number): boolean {
  let at = offset - 1;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') at--;
  return text[at] === '\n';
}

/** The indentation of the first indented line. */
function indentUnit(text: string): string {
  const found = /\n([ \t]+)["[{\]}\w-]/.exec(text);
  if (found !== null) return found[1]![0] === '\t' ? '\t' : found[1]!;
  return '  ';
}

function colonOf(text: string, entries: readonly Entry[], unit: string): string {
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i]!;
    if (entry.keyEnd === entry.keyStart) break;
    const between = text.slice(entry.keyEnd, entry.start);
    // Several blanks align a column of values; do not continue that.
    if (/^ ?: ?$/.test(between)) return between;
  }
  const nearby = /":( ?)["\d[{tfn-]/.exec(text);
  return nearby === null ? (unit === '' ? ':' : ': ') : `:${nearby[1]}`;
}

/** Writes a value on one line or on several, like its neighbours. */
export function renderValue(text: string, value: JsonValue, layout: ContainerLayout, expand: boolean): string {
  const sample = sampleContainer(text, layout.entries);
  const inline = sample === undefined ? !expand : !sample.includes('\n');
  if (!inline) return writeJson(value, { indent: layout.unit, margin: layout.margin, eol: layout.eol });
  const gap = sample === undefined ? (layout.colon.endsWith(' ') ? ' ' : '') : /[,:] /.test(sample) ? ' ' : '';
  const written = writeJson(value, { indent: '', gap });
  const padded = sample !== undefined && /^[{[] .* [}\]]$/s.test(sample);
  return padded && written.length > 2 && isContainer(value)
    ? `${written[0]} ${written.slice(1, -1)} ${written.at(-1)}`
    : written;
}

export function isContainer(value: JsonValue): boolean {
  return Array.isArray(value) || value instanceof JsonObject;
}

/** The last non-empty container among the entries. */
function sampleContainer(text: string, entries: readonly Entry[]): string | undefined {
  for (let i = entries.length - 1; i >= 0; i--) {
    const { start, end } = entries[i]!;
    const first = text[start];
    if ((first === '{' || first === '[') && end - start > 3) return text.slice(start, end);
  }
  return undefined;
}
