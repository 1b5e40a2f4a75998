/**
 * JSONL of any size over a byte source, in constant memory. The matches equal those of `walk/walk.ts` on the document
 * in memory.
 */
import type { Step } from '../../address/steps.ts';
import type { Sub } from '../../address/sub.ts';
import { placeKeys, ROW_HEAD, readFields, VALID } from '../../scan/fields.ts';
import { countNewlines, lineOffset, lineStartsFromEnd, readLine, type ScanOptions } from '../../scan/lines.ts';
import { borrowScanner, DEFAULT_WINDOW, LAYOUT } from '../../scan/scan.ts';
import type { RowTemplate } from '../../scan/format.ts';
import type { ByteSource } from '../../scan/source.ts';
import { LineWindows } from '../../scan/windows.ts';
import { CONTAINER_KIND, matchOf, type Match } from '../../walk/match.ts';
import type { Found, Name } from '../../walk/walk.ts';
import type { Document, Slot } from '../../kind.ts';
import { type Batch, type LineMatch, matchesOf } from './batch.ts';
import { type JsonlPlace, parseJsonl } from './jsonl.ts';
import { lineNumber } from './lines.ts';
import { planFor } from './plan.ts';
import { lineName, matchesIn, type Record, readRecord, walkRecord } from './record.ts';
import { selectLines } from './select.ts';
import { ColumnSink, MatchSink, type RowText, TextSink } from './sink.ts';

export { type Batch, type LineMatch, type Matches, matchesOf, type Rows, type RowType } from './batch.ts';
export type { RowText } from './sink.ts';
export type { RowTemplate, TemplatePiece } from '../../scan/format.ts';
export type { ScanOptions } from '../../scan/lines.ts';

export interface SourceLine extends Record {
  /** Its byte offset in the source. */
  readonly offset: number;
  /** Its length in bytes, with its ending. */
  readonly bytes: number;
  /** Its physical number from 1. For a line found from the end, this counts all newlines before it. */
  number(): number;
}

/** A place in one line of the source. `document` is only that line, as `L1`; the names start at the file. */
export interface LineFound {
  readonly document: Document<JsonlPlace>;
  readonly found: Found<JsonlPlace>;
  /** The line that offsets in `document` are relative to; undefined for the file itself. */
  readonly line: SourceLine | undefined;
}

/** The physical line with this number from 1; blank and malformed lines count. */
export function lineAt(source: ByteSource, number: number, options: ScanOptions = {}): SourceLine | undefined {
  const offset = lineOffset(source, number, options);
  return offset === undefined ? undefined : sourceLine(source, offset, () => number);
}

/** The last line with a value. Reads from the end. */
export function lastLine(source: ByteSource, options: ScanOptions = {}): SourceLine | undefined {
  for (const offset of lineStartsFromEnd(source)) {
    const line = sourceLine(source, offset, () => countNewlines(source, offset, options) + 1);
    if (line.holdsValue) return line;
  }
  return undefined;
}

/** The line with this ordinal from 0; blank and malformed lines do not count. */
export function valueLine(source: ByteSource, ordinal: number, options: ScanOptions = {}): SourceLine | undefined {
  const { windowBytes = DEFAULT_WINDOW } = options;
  const scanner = borrowScanner(windowBytes);
  try {
    const windows = new LineWindows(source, scanner, windowBytes);
    placeKeys(scanner, []);
    let lines = 0;
    let missing = ordinal;
    while (windows.next()) {
      for (let from = windows.begin; from < windows.end; ) {
        const rows = readFields(scanner, 0, from, windows.end, LAYOUT.rows, LAYOUT.gather);
        for (let i = 0, at = LAYOUT.rows / 4; i < rows; i++, at += ROW_HEAD) {
          const begin = scanner.words[at + 1]!;
          const isValid = (scanner.words[at + 2]! & VALID) !== 0;
          if (!isValid && !readRecord(scanner.bytes.subarray(begin, scanner.words[at + 3])).holdsValue) continue;
          if (missing-- > 0) continue;
          const number = lines + scanner.words[at]! + 1;
          return sourceLine(source, windows.offset + begin - windows.begin, () => number);
        }
        lines += scanner.wasm.fieldLines.value as number;
        from = scanner.wasm.fieldResume.value as number;
      }
    }
    return undefined;
  } finally {
    scanner.release();
  }
}

/** The place that concrete steps name. */
export function resolveInLines(
  source: ByteSource,
  steps: readonly Step[],
  options: ScanOptions = {},
): LineFound | undefined {
  const [step, ...rest] = steps;
  if (step === undefined || step.sub.type === 'insert') return fileRoot(step);
  const line = namedLine(source, step.sub, options);
  if (line === undefined) return undefined;
  const { slot, spelling, sub } = step;
  const name: Name = {
    slot,
    // The number of the last line is counted only on access.
    get text() {
      return sub.type === 'literal' ? spelling : `L${line.number()}`;
    },
  };
  for (const found of walkRecord(line, name, rest)) return { document: line.document, found, line };
  return undefined;
}

export function matchInLines(at: LineFound): Match {
  const match = matchOf(at.document, at.found);
  return at.line === undefined ? match : { ...match, line: at.line.number() };
}

/** Yields every match once, in document order, in batches of one window each. */
export function* findInLines(source: ByteSource, steps: readonly Step[], options: ScanOptions = {}): Generator<Batch> {
  const batches = find(source, steps, options);
  if (!mayRepeat(steps)) {
    yield* batches;
    return;
  }
  const seen = new Set<string>();
  for (const batch of batches) {
    const matches = [...matchesOf(batch)].filter((match) => isNew(seen, match));
    if (matches.length > 0) yield { type: 'matches', matches };
  }
}

/**
 * The matches of `*` or a predicate followed by one key, formatted as text, for fast output.
 * Undefined for other steps: use `findInLines`.
 */
export function formatInLines(
  source: ByteSource,
  steps: readonly Step[],
  template: RowTemplate,
  options: ScanOptions = {},
): Generator<RowText> | undefined {
  const [step, ...rest] = steps;
  if (step === undefined || (step.sub.type !== 'any' && step.sub.type !== 'predicate')) return undefined;
  const plan = planFor(step.sub.type === 'predicate' ? step.sub.predicate : undefined, rest);
  if (plan.answer < 0) return undefined;
  return selectLines(source, step.slot, plan, rest, (scanner) => new TextSink(scanner, template), options);
}

function* find(source: ByteSource, steps: readonly Step[], options: ScanOptions): Generator<Batch> {
  const [step, ...rest] = steps;
  if (step === undefined || step.sub.type === 'insert') {
    const file = fileRoot(step);
    yield { type: 'matches', matches: [{ names: file.found.names, match: matchInLines(file) }] };
    return;
  }
  if (step.sub.type === 'deep') {
    yield* find(source, rest, options);
    // `**` first descends into each line and continues there.
    const slot = step.slot;
    yield* selectLines(source, slot, planFor(undefined, steps), steps, () => new MatchSink(slot), options);
    return;
  }
  yield* select(source, step.slot, step.sub, step.spelling, rest, options);
}

function* select(
  source: ByteSource,
  slot: Slot,
  sub: Sub,
  spelling: string,
  rest: readonly Step[],
  options: ScanOptions,
): Generator<Batch> {
  if (sub.type === 'any' || sub.type === 'predicate') {
    const plan = planFor(sub.type === 'predicate' ? sub.predicate : undefined, rest);
    const name = plan.answer < 0 ? undefined : nameOf(rest);
    const sink = () => (name === undefined ? new MatchSink(slot) : new ColumnSink(slot, name));
    yield* selectLines(source, slot, plan, rest, sink, options);
    return;
  }
  if (sub.type === 'union') {
    for (const each of sub.alternatives)
      yield* select(source, slot, each, each.type === 'literal' ? each.text : '', rest, options);
    return;
  }
  const line = namedLine(source, sub, options);
  if (line === undefined) return;
  const number = line.number();
  const name = sub.type === 'literal' ? { slot, text: spelling } : lineName(slot, number);
  const matches = [...matchesIn(line, number, name, rest)];
  if (matches.length > 0) yield { type: 'matches', matches };
}

function nameOf([step]: readonly Step[]): Name | undefined {
  return step === undefined ? undefined : { slot: step.slot, text: step.spelling };
}

/** The line for `L3`, `$first`, `$last` or `#3`. */
function namedLine(source: ByteSource, sub: Sub, options: ScanOptions): SourceLine | undefined {
  switch (sub.type) {
    case 'literal': {
      const number = sub.quoted ? undefined : lineNumber(sub.text);
      return number === undefined ? undefined : lineAt(source, number, options);
    }
    case 'first':
      return valueLine(source, 0, options);
    case 'last':
      return lastLine(source, options);
    case 'ordinal':
      return valueLine(source, sub.index, options);
    default:
      return undefined;
  }
}

function sourceLine(source: ByteSource, offset: number, number: () => number): SourceLine {
  const bytes = readLine(source, offset);
  let counted: number | undefined;
  return { ...readRecord(bytes), offset, bytes: bytes.length, number: () => (counted ??= number()) };
}

/** The file itself: its root, or its insertion point. */
function fileRoot(step: Step | undefined): LineFound {
  const document = parseJsonl('');
  const names: Name[] = step === undefined ? [] : [{ slot: step.slot, text: step.spelling }];
  const found =
    step === undefined ? { place: document.root, names } : { place: document.root, names, insertion: true as const };
  return { document, found, line: undefined };
}

/** A union for the line, or two `**`, can match the same place twice. */
function mayRepeat(steps: readonly Step[]): boolean {
  const deep = steps.filter((step) => step.sub.type === 'deep').length;
  const first = steps.find((step) => step.sub.type !== 'deep');
  return deep > 1 || (first?.sub.type === 'union' && steps.indexOf(first) <= 1);
}

function isNew(seen: Set<string>, { match }: LineMatch): boolean {
  const key = `${match.line}:${match.column}:${match.kind}:${match.kind === CONTAINER_KIND ? match.descriptor : ''}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
