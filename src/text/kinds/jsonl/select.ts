/**
 * Finds the matches in the lines that `*` or a predicate selects. Three paths, from fast to slow, give the same matches:
 * the needle skips lines that cannot match; the field scan answers for lines that are valid objects; every other line
 * is parsed.
 */
import { satisfies } from '../../address/predicate.ts';
import type { Step } from '../../address/steps.ts';
import { decodeText } from '../../lines/bytes.ts';
import { ASCII_LEAD, FIELD, gatheredLength, placeKeys, ROW_HEAD, readFields, SLOT, VALID } from '../../scan/fields.ts';
import { findCandidates, type Needle } from '../../scan/needle.ts';
import type { ScanOptions } from '../../scan/lines.ts';
import { borrowScanner, DEFAULT_WINDOW, LAYOUT, type Scanner } from '../../scan/scan.ts';
import type { ByteSource } from '../../scan/source.ts';
import { LineWindows } from '../../scan/windows.ts';
import type { Slot } from '../../kind.ts';
import { CONTAINER_KIND, type Match } from '../../walk/match.ts';
import { isContainerType, type LineMatch, type RowType } from './batch.ts';
import { columnAt, leafAt, Lookup } from './lookup.ts';
import type { Plan } from './plan.ts';
import { lineName, matchesIn, satisfiesPredicate, readRecord } from './record.ts';
import type { Sink } from './sink.ts';

/** The row type for each field kind. */
const ROW_TYPES: readonly RowType[] = [
  'null',
  'string',
  'string',
  'number',
  'boolean',
  'boolean',
  'null',
  'jsonc-object',
  'jsonc-array',
];

const ascii = /* @__PURE__ */ new TextDecoder();

/** If most lines are candidates, searching for candidates costs more than it saves. */
const MANY_CANDIDATES = 8;
const LINES_PER_CANDIDATE = 4;

export function* selectLines<B>(
  source: ByteSource,
  slot: Slot,
  plan: Plan,
  rest: readonly Step[],
  makeSink: (scanner: Scanner) => Sink<B>,
  options: ScanOptions,
): Generator<B> {
  const { windowBytes = DEFAULT_WINDOW } = options;
  const scanner = borrowScanner(windowBytes);
  try {
    const windows = new LineWindows(source, scanner, windowBytes);
    const sink = makeSink(scanner);
    const selection = new Selection(scanner, slot, plan, rest, sink);
    let { needle } = plan;
    let candidates = 0;
    while (windows.next()) {
      for (let from = windows.begin; from < windows.end; ) {
        if (needle === undefined) {
          from = selection.everyLine(from, windows.end);
        } else {
          const read = selection.candidateLines(needle, from, windows.end);
          from = read.resume;
          candidates += read.candidates;
          const areMany = candidates > MANY_CANDIDATES && candidates * LINES_PER_CANDIDATE > selection.line;
          if (areMany) needle = undefined;
        }
        const batch = sink.take();
        if (batch !== undefined) yield batch;
      }
    }
  } finally {
    scanner.release();
  }
}

class Selection {
  /** Lines read so far. */
  line = 0;
  private readonly scanner: Scanner;
  private readonly slot: Slot;
  private readonly plan: Plan;
  private readonly rest: readonly Step[];
  private readonly sink: Sink<unknown>;
  /** 32-bit words per row. */
  private readonly width: number;
  private readonly lookup: Lookup;

  constructor(scanner: Scanner, slot: Slot, plan: Plan, rest: readonly Step[], sink: Sink<unknown>) {
    this.scanner = scanner;
    this.slot = slot;
    this.plan = plan;
    this.rest = rest;
    this.sink = sink;
    this.width = ROW_HEAD + SLOT * plan.keys.length;
    this.lookup = new Lookup(scanner);
    const { keys, predicate, testedPath, answerPaths } = plan;
    const dotted = predicate === undefined || testedPath === undefined ? [] : [predicate.key, ...testedPath];
    placeKeys(scanner, [...keys, ...dotted, ...answerPaths.flatMap((each) => each.keys)]);
  }

  /** Reads lines of [from, end) until the row area is full. Returns where to continue. */
  everyLine(from: number, end: number): number {
    const { scanner, plan } = this;
    const count = readFields(scanner, plan.keys.length, from, end, LAYOUT.rows, LAYOUT.gather);
    const { fieldLines, fieldResume, gatherEnd } = scanner.wasm;
    if (this.sink.bulk !== undefined && plan.predicate === undefined) this.answerInBulk(count);
    else this.answer(count, gatherEnd.value as number);
    this.line += fieldLines.value as number;
    return fieldResume.value as number;
  }

  /** Reads only the lines of [from, end) that may contain the needle, until the candidate area is full. */
  candidateLines(needle: Needle, from: number, end: number): { readonly resume: number; readonly candidates: number } {
    const { scanner, plan } = this;
    const { wasm } = scanner;
    const candidates = findCandidates(scanner, needle, from, end);
    const resume = wasm.candidateResume.value as number;
    const lines = wasm.candidateLines.value as number;
    const rowBytes = this.width * 4;
    let out: number = LAYOUT.rows;
    let gather: number = LAYOUT.gather;
    let count = 0;
    for (let i = 0; i < candidates; i++) {
      if (out + rowBytes > LAYOUT.rowsEnd || gather >= LAYOUT.gatherLimit) {
        this.answer(count, gather);
        out = LAYOUT.rows;
        gather = LAYOUT.gather;
        count = 0;
      }
      const at = LAYOUT.candidates / 4 + i * 3;
      const stop = Math.min(scanner.words[at + 2]! + 1, end);
      if (readFields(scanner, plan.keys.length, scanner.words[at + 1]!, stop, out, gather) === 0) continue;
      scanner.words[out / 4] = scanner.words[at]!;
      gather = wasm.gatherEnd.value as number;
      out += rowBytes;
      count++;
    }
    this.answer(count, gather);
    this.line += lines;
    return { resume, candidates };
  }

  /** Passes rows to the sink directly from memory, and answers only the others one by one. */
  private answerInBulk(count: number): void {
    const { sink, width } = this;
    for (let i = 0; i < count; i++) {
      i += sink.bulk?.(LAYOUT.rows + i * width * 4, count - i, width * 4, this.line) ?? 0;
      if (i === count) return;
      const at = LAYOUT.rows / 4 + i * width;
      if (this.isValid(at)) this.answerRow(at, undefined);
      else this.parseLine(at);
    }
  }

  /** Answers the rows in memory, with the texts that were gathered from their lines. */
  private answer(count: number, gatherEnd: number): void {
    if (count === 0) return;
    const { scanner, plan, width } = this;
    const { words } = scanner;
    const { keys, tested, answer, predicate } = plan;
    const texts = ascii.decode(scanner.bytes.subarray(LAYOUT.gather, gatherEnd));
    let gathered = 0;
    for (let i = 0, at = LAYOUT.rows / 4; i < count; i++, at += width) {
      if (!this.isValid(at)) {
        this.parseLine(at);
        continue;
      }
      let testedText: string | undefined;
      let answerText: string | undefined;
      for (let key = 0, slot = at + ROW_HEAD; key < keys.length; key++, slot += SLOT) {
        const length = gatheredLength(words[slot + 3]!, words[slot + 1]!, words[slot + 2]!);
        if (length < 0) continue;
        if (key === tested) testedText = texts.slice(gathered, gathered + length);
        if (key === answer) answerText = texts.slice(gathered, gathered + length);
        gathered += length;
      }
      if (predicate !== undefined && tested < 0) {
        const verdict = this.testPath(at);
        if (verdict === 'doubtful') this.parseLine(at);
        if (verdict !== 'passed') continue;
      } else if (predicate !== undefined) {
        const slot = at + ROW_HEAD + SLOT * tested;
        const type = ROW_TYPES[words[slot + 3]!]!;
        if (isContainerType(type)) continue;
        if (!satisfies({ valueText: testedText ?? this.fieldText(slot), leafType: type }, predicate)) continue;
      }
      this.answerRow(at, answerText);
    }
  }

  /** Answers a valid line that satisfies the predicate. */
  private answerRow(at: number, gathered: string | undefined): void {
    const { words } = this.scanner;
    const { answer } = this.plan;
    const line = this.line + words[at]! + 1;
    if (answer >= 0) {
      const slot = at + ROW_HEAD + SLOT * answer;
      this.sink.row(line, this.columnOf(at, slot), gathered ?? this.fieldText(slot), ROW_TYPES[words[slot + 3]!]!);
    } else if (this.rest.length === 0) {
      this.sink.row(line, 1, '', 'jsonc-object');
    } else if (this.plan.answerPaths.length > 0) {
      this.answerPaths(at, line);
    } else {
      this.parseLine(at);
    }
  }

  /** Tests a predicate whose key has dots: as a literal key, else as a path. */
  private testPath(at: number): 'passed' | 'failed' | 'doubtful' {
    const { lookup, plan } = this;
    const { keys, predicate, testedPath } = plan;
    if (predicate === undefined || testedPath === undefined) return 'doubtful';
    const literal = keys.length;
    const object = this.objectAt(at);
    let status = lookup.descend(object, literal, 1);
    if (status === 'missing') status = lookup.descend(object, literal + 1, testedPath.length);
    if (status === 'doubtful') return status;
    if (status === 'missing' || lookup.isContainer) return 'failed';
    return satisfies(leafAt(this.scanner, lookup.begin, lookup.end), predicate) ? 'passed' : 'failed';
  }

  /** Answers with the values at the answer paths. */
  private answerPaths(at: number, line: number): void {
    const { lookup, plan, scanner } = this;
    const object = this.objectAt(at);
    const name = lineName(this.slot, line);
    const found: LineMatch[] = [];
    let first = plan.keys.length + (plan.testedPath === undefined ? 0 : plan.testedPath.length + 1);
    for (const { keys, names } of plan.answerPaths) {
      const status = lookup.descend(object, first, keys.length);
      if (status === 'doubtful') {
        this.parseLine(at);
        return;
      }
      first += keys.length;
      if (status === 'missing') continue;
      const { begin, end } = lookup;
      const position = { line, column: columnAt(scanner, scanner.words[at + 1]!, lookup.key) };
      const match: Match = lookup.isContainer
        ? {
            kind: CONTAINER_KIND,
            descriptor: scanner.bytes[begin] === 0x7b ? 'jsonc-object' : 'jsonc-array',
            ...position,
          }
        : { kind: 'leaf', ...leafAt(scanner, begin, end), ...position };
      found.push({ names: [name, ...names], match });
    }
    for (const each of found) this.sink.match(each);
  }

  /** The start of the object of a valid line. */
  private objectAt(at: number): number {
    const { bytes, words } = this.scanner;
    let begin = words[at + 1]!;
    while (bytes[begin] !== 0x7b) begin++;
    return begin;
  }

  private isValid(at: number): boolean {
    return (this.scanner.words[at + 2]! & VALID) !== 0;
  }

  /** The text of a leaf that was not gathered; empty for a container. */
  private fieldText(slot: number): string {
    const { words, bytes } = this.scanner;
    const kind = words[slot + 3]!;
    if (kind >= FIELD.object) return '';
    const text = decodeText(bytes.subarray(words[slot + 1], words[slot + 2]));
    return kind === FIELD.plain || kind === FIELD.coded ? (JSON.parse(text) as string) : text;
  }

  /** The column of a key. `ASCII_LEAD` applies to the last key of a row. */
  private columnOf(at: number, slot: number): number {
    const { words } = this.scanner;
    const begin = words[at + 1]!;
    const key = words[slot]!;
    const isBytes = (words[at + 2]! & ASCII_LEAD) !== 0 && slot === at + this.width - SLOT;
    return isBytes ? key - begin + 1 : columnAt(this.scanner, begin, key);
  }

  /** Answers a line with the full parser. */
  private parseLine(at: number): void {
    const { words, bytes } = this.scanner;
    const line = this.line + words[at]! + 1;
    const record = readRecord(bytes.subarray(words[at + 1], words[at + 3]), this.isValid(at));
    if (!satisfiesPredicate(record, this.plan.predicate)) return;
    for (const found of matchesIn(record, line, lineName(this.slot, line), this.rest)) this.sink.match(found);
  }
}
