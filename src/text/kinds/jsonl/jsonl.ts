import { type JsonValue, sameJson } from '../../json/value.ts';
import { dominantEol, eolAt } from '../../lines/eol.ts';
import type { Splice } from '../../lines/splice.ts';
import { coerceToJson } from '../jsonc/coerce.ts';
import type { JsoncPlace } from '../jsonc/jsonc.ts';
import {
  type Change,
  type Document,
  type Insertion,
  type Kind,
  type Leaf,
  nestValue,
  type NewStep,
  type NewValue,
  type Place,
  type Refusal,
  refuse,
  type Slot,
} from '../../kind.ts';
import { Line, lineNumber, lineOf, linesOf } from './lines.ts';
import { type RecordStyle, styleOf, writeRecord } from './style.ts';

/** The file, a line, or a value in a line with its place in the document of the line. */
export interface JsonlPlace extends Place {
  readonly line: Line | undefined;
  readonly inner: JsoncPlace | undefined;
}

/** One record per line. A blank or malformed line counts, has no children, and cannot be set. */
export const jsonl: Kind = { name: 'jsonl', parse: (text) => parseJsonl(text) };

/** Every text is a valid JSONL document. */
export function parseJsonl(text: string): Document<JsonlPlace> {
  return new JsonlDocument(text);
}

/** Parses one line of a source. `isProven`: a scanner has already found it to be valid JSON. */
export function parseLine(text: string, isProven: boolean): Document<JsonlPlace> {
  return new JsonlDocument(text, new Line(text, 1, 0, isProven));
}

class JsonlDocument implements Document<JsonlPlace> {
  readonly kind = 'jsonl';
  readonly text: string;
  readonly problems = [];
  readonly root: JsonlPlace;
  /** Set for a document of one line, so that the line is parsed only once. */
  private readonly onlyLine: Line | undefined;

  constructor(text: string, onlyLine?: Line) {
    this.text = text;
    this.onlyLine = onlyLine;
    const whole = { start: 0, end: text.length, anchor: 0, line: undefined, inner: undefined };
    this.root = { shape: 'root', name: '', ordinal: 0, descriptor: 'jsonl-file', ...whole };
  }

  *children(place: JsonlPlace, slot: Slot): Generator<JsonlPlace> {
    const { line } = place;
    if (line === undefined) {
      let ordinal = 0;
      for (const each of linesOf(this.text))
        if (each.document !== undefined) yield linePlace(this.text, each, ordinal++);
    } else if (line.document !== undefined) {
      for (const inner of line.document.children(place.inner ?? line.document.root, slot))
        yield placeInLine(line, inner);
    }
  }

  child(place: JsonlPlace, slot: Slot, name: string, quoted: boolean): JsonlPlace | undefined {
    const { line } = place;
    if (line === undefined) {
      const number = quoted ? undefined : lineNumber(name);
      const found = number === 1 && this.onlyLine !== undefined ? this.onlyLine : lineOf(this.text, number ?? 0);
      return found === undefined ? undefined : linePlace(this.text, found);
    }
    if (line.document === undefined) return undefined;
    const inner = line.document.child(place.inner ?? line.document.root, slot, name, quoted);
    return inner === undefined ? undefined : placeInLine(line, inner);
  }

  probe(place: JsonlPlace, key: string): Leaf | undefined {
    const document = place.line?.document;
    return document?.probe(place.inner ?? document.root, key);
  }

  leaf(place: JsonlPlace): Leaf {
    const { record, inner } = recordOf(place);
    return record.leaf(inner);
  }

  value(place: JsonlPlace): JsonValue {
    const { line } = place;
    if (line === undefined) return Array.from(this.children(place, 'section'), (each) => this.value(each));
    // A blank or malformed line reads as its text.
    if (line.document === undefined) return this.text.slice(line.start, line.end);
    return line.document.value(place.inner ?? line.document.root);
  }

  raw(place: JsonlPlace): string {
    if (place.shape === 'leaf') return this.leaf(place).valueText;
    return this.text.slice(place.start, place.end);
  }

  write(place: JsonlPlace, value: NewValue): Change {
    const { line, inner } = place;
    if (line === undefined)
      return refuse('not-writable', 'the whole file cannot be set; name a line, or append with +');
    const record = line.document;
    if (record === undefined) return notAValueLine(line);
    if (inner !== undefined) return shifted(record.write(inner, value), line.start);
    const coerced = coerceToJson(value);
    if ('ok' in coerced) return coerced;
    if (sameJson(record.value(record.root), coerced.value)) return { ok: true, splices: [] };
    const text = writeRecord(coerced.value, styleOf(record) ?? this.styleBefore(this.text.length));
    return { ok: true, splices: [{ start: place.start, end: place.end, text }] };
  }

  container(place: JsonlPlace): string | undefined {
    const { line } = place;
    if (line === undefined) return 'jsonl-file';
    return line.document?.container(place.inner ?? line.document.root);
  }

  insert(place: JsonlPlace, slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change {
    const { line } = place;
    if (line !== undefined) {
      const record = line.document;
      if (record === undefined) return notAValueLine(line);
      return shifted(record.insert(place.inner ?? record.root, slot, where, rest, value), line.start);
    }
    if (where.at === 'key')
      return refuse('type-mismatch', 'a JSONL file takes + (append a line) or +N (a new line before line N + 1)');
    const coerced = coerceToJson(value);
    if ('ok' in coerced) return coerced;
    const record = nestValue(rest, coerced.value);
    const next = where.at === 'index' ? lineOf(this.text, where.index + 1) : undefined;
    if (next === undefined) return { ok: true, splices: [this.appended(record)] };
    const start = afterMark(this.text, next.start);
    const written = writeRecord(record, this.styleBefore(next.next));
    return { ok: true, splices: [{ start, end: start, text: `${written}${eolAt(this.text, next.start)}` }] };
  }

  remove(place: JsonlPlace): Change {
    const { line, inner } = place;
    if (line === undefined) return refuse('not-writable', 'the whole file cannot be deleted; remove the file instead');
    if (inner !== undefined) {
      const { record } = recordOf(place);
      return shifted(record.remove(inner), line.start);
    }
    return { ok: true, splices: [lineRemoval(this.text, line)] };
  }

  /** Keeps the final newline present or absent; an empty file gets one. */
  private appended(record: JsonValue): Splice {
    const { text } = this;
    const eol = dominantEol(text);
    const written = writeRecord(record, this.styleBefore(text.length));
    const at = { start: text.length, end: text.length };
    const isOpen = text.length > afterMark(text, 0) && !text.endsWith('\n');
    return { ...at, text: isOpen ? `${eol}${written}` : `${written}${eol}` };
  }

  /** The style of the last record before `offset` that shows one. */
  private styleBefore(offset: number): RecordStyle | undefined {
    for (let end = offset; end > 0; ) {
      const start = end < 2 ? 0 : this.text.lastIndexOf('\n', end - 2) + 1;
      const record = new Line(this.text, 0, start).document;
      const style = record === undefined ? undefined : styleOf(record);
      if (style !== undefined) return style;
      end = start;
    }
    return undefined;
  }
}

/** The ordinal among the lines with a value is counted only on access. */
function linePlace(text: string, line: Line, ordinal?: number): JsonlPlace {
  const root = line.document?.root;
  return {
    shape: 'container',
    name: `L${line.number}`,
    token: true,
    get ordinal() {
      return ordinal ?? valueLinesBefore(text, line);
    },
    descriptor: 'jsonl-line',
    start: line.start + (root?.start ?? 0),
    end: root === undefined ? line.end : line.start + root.end,
    anchor: line.start,
    line,
    inner: undefined,
  };
}

function valueLinesBefore(text: string, line: Line): number {
  let count = 0;
  for (const each of linesOf(text)) {
    if (each.start >= line.start) break;
    if (each.document !== undefined) count++;
  }
  return count;
}

function placeInLine(line: Line, inner: JsoncPlace): JsonlPlace {
  const { shape, name, ordinal, descriptor } = inner;
  const span = { start: line.start + inner.start, end: line.start + inner.end, anchor: line.start + inner.anchor };
  return { shape, name, ordinal, descriptor, ...span, line, inner };
}

function recordOf(place: JsonlPlace): { record: Document<JsoncPlace>; inner: JsoncPlace } {
  const record = place.line?.document;
  if (record === undefined || place.inner === undefined)
    throw new TypeError(`${place.descriptor} is not a value in a line`);
  return { record, inner: place.inner };
}

function shifted(change: Change, by: number): Change {
  if (!change.ok) return change;
  return {
    ok: true,
    splices: change.splices.map(({ start, end, text }) => ({ start: start + by, end: end + by, text })),
  };
}

function notAValueLine(line: Line): Refusal {
  return refuse('not-a-value-line', `line ${line.number} is blank or malformed; correct it by hand, or delete it`);
}

/** Skips a byte order mark at `offset`: it belongs to the file, not to its first line. */
function afterMark(text: string, offset: number): number {
  return offset === 0 && text.charCodeAt(0) === 0xfeff ? 1 : offset;
}

/** Removes a line with its ending; for an unterminated last line, with the ending before it. */
function lineRemoval(text: string, line: Line): Splice {
  const start = afterMark(text, line.start);
  if (line.end < line.next || start === 0 || text[start - 1] !== '\n') return { start, end: line.next, text: '' };
  const before = text[start - 2] === '\r' ? start - 2 : start - 1;
  return { start: before, end: line.next, text: '' };
}
