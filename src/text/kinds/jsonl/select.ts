/**
 * The lines that `*` or a predicate selects, and what stands in them. Three ways, from fast to slow, with one answer:
 * lines that cannot match are skipped by the needle; lines that are sound objects are answered from the field scan;
 * every other line is parsed.
 */
import { satisfies } from '../../address/predicate.ts';
import type { Step } from '../../address/steps.ts';
import { decodeText } from '../../lines/bytes.ts';
import { ASCII_LEAD, FIELD, gatheredLength, placeKeys, ROW_HEAD, readFields, SLOT, SOUND } from '../../scan/fields.ts';
import { findCandidates, type Needle } from '../../scan/needle.ts';
import type { ScanOptions } from '../../scan/lines.ts';
import { borrowScanner, DEFAULT_WINDOW, LAYOUT, type Scanner } from '../../scan/scan.ts';
import type { ByteSource } from '../../scan/source.ts';
import { LineWindows } from '../../scan/windows.ts';
import type { LeafType, Slot } from '../kind.ts';
import type { Batch, LineMatch, Rows, RowType } from './batch.ts';
import type { Plan } from './plan.ts';
import { lineName, matchesIn, passes, readRecord } from './record.ts';

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

export function* selectLines(
  source: ByteSource,
  slot: Slot,
  plan: Plan,
  rest: readonly Step[],
  options: ScanOptions,
): Generator<Batch> {
  const { windowBytes = DEFAULT_WINDOW } = options;
  const scanner = borrowScanner(windowBytes);
  try {
    const windows = new LineWindows(source, scanner, windowBytes);
    const selection = new Selection(scanner, slot, plan, rest);
    let { needle } = plan;
    while (windows.next()) {
      for (let from = windows.begin; from < windows.end; ) {
        const before = selection.line;
        let rows: number;
        if (needle === undefined) {
          from = selection.everyLine(from, windows.end);
        } else {
          ({ from, rows } = selection.candidateLines(needle, from, windows.end));
          // Where most lines are candidates, looking for them first costs more than it saves.
          if (rows > 64 && rows * 4 > selection.line - before) needle = undefined;
        }
        const batch = selection.take();
        if (batch !== undefined) yield batch;
      }
    }
  } finally {
    scanner.release();
  }
}

class Selection {
  /** Lines passed so far. */
  line = 0;
  private readonly scanner: Scanner;
  private readonly slot: Slot;
  private readonly plan: Plan;
  private readonly rest: readonly Step[];
  private rows: Rows | undefined;
  private matches: LineMatch[] = [];

  constructor(scanner: Scanner, slot: Slot, plan: Plan, rest: readonly Step[]) {
    this.scanner = scanner;
    this.slot = slot;
    this.plan = plan;
    this.rest = rest;
    this.rows = this.newRows();
    placeKeys(scanner, plan.keys);
  }

  /** What was found since the last call. */
  take(): Batch | undefined {
    const { rows, matches } = this;
    if (rows !== undefined && rows.lines.length > 0) {
      this.rows = this.newRows();
      return rows;
    }
    if (matches.length === 0) return undefined;
    this.matches = [];
    return { type: 'matches', matches };
  }

  /** Reads lines of [from, end) until the room for rows is full; gives where to go on. */
  everyLine(from: number, end: number): number {
    const { scanner, plan } = this;
    const count = readFields(scanner, plan.keys.length, from, end, LAYOUT.rows, LAYOUT.gather);
    const { fieldLines, fieldResume, gatherEnd } = scanner.wasm;
    this.answerRows(count, gatherEnd.value as number);
    this.line += fieldLines.value as number;
    return fieldResume.value as number;
  }

  /** Reads only the lines of [from, end) that may hold the needle, until the room for them is full. */
  candidateLines(needle: Needle, from: number, end: number): { from: number; rows: number } {
    const { scanner, plan } = this;
    const { wasm } = scanner;
    const candidates = findCandidates(scanner, needle, from, end);
    const resume = wasm.candidateResume.value as number;
    const lines = wasm.candidateLines.value as number;
    const rowBytes = (ROW_HEAD + SLOT * plan.keys.length) * 4;
    let out: number = LAYOUT.rows;
    let gather: number = LAYOUT.gather;
    let count = 0;
    for (let i = 0; i < candidates; i++) {
      if (out + rowBytes > LAYOUT.rowsEnd || gather >= LAYOUT.gatherLimit) {
        this.answerRows(count, gather);
        out = LAYOUT.rows;
        gather = LAYOUT.gather;
        count = 0;
      }
      const at = LAYOUT.candidates / 4 + i * 3;
      const begin = scanner.words[at + 1]!;
      const stop = scanner.words[at + 2]!;
      if (readFields(scanner, plan.keys.length, begin, Math.min(stop + 1, end), out, gather) === 0) continue;
      scanner.words[out / 4] = scanner.words[at]!;
      gather = wasm.gatherEnd.value as number;
      out += rowBytes;
      count++;
    }
    this.answerRows(count, gather);
    this.line += lines;
    return { from: resume, rows: candidates };
  }

  /** Answers the lines whose rows stand in the scanner's memory. */
  private answerRows(count: number, gatherEnd: number): void {
    if (count === 0) return;
    const { scanner, plan } = this;
    const { words } = scanner;
    const { keys, tested, answer, predicate } = plan;
    const width = ROW_HEAD + SLOT * keys.length;
    const texts = ascii.decode(scanner.bytes.subarray(LAYOUT.gather, gatherEnd));
    const rows = this.rows;
    let gathered = 0;
    for (let i = 0, at = LAYOUT.rows / 4; i < count; i++, at += width) {
      const line = this.line + words[at]! + 1;
      const begin = words[at + 1]!;
      const known = words[at + 2]!;
      if ((known & SOUND) === 0) {
        this.parseLine(line, begin, words[at + 3]!);
        continue;
      }
      let testedText = '';
      let answerText = '';
      for (let key = 0, slot = at + ROW_HEAD; key < keys.length; key++, slot += SLOT) {
        const length = gatheredLength(words[slot + 3]!, words[slot + 1]!, words[slot + 2]!);
        if (key === tested) testedText = length < 0 ? this.fieldText(slot) : texts.slice(gathered, gathered + length);
        if (key === answer) answerText = length < 0 ? '' : texts.slice(gathered, gathered + length);
        if (length > 0) gathered += length;
      }
      if (tested >= 0 && predicate !== undefined) {
        const type = ROW_TYPES[words[at + ROW_HEAD + SLOT * tested + 3]!]!;
        if (isContainerType(type) || !satisfies({ valueText: testedText, leafType: type }, predicate)) continue;
      } else if (predicate !== undefined) {
        this.parseLine(line, begin, words[at + 3]!);
        continue;
      }
      if (rows !== undefined) {
        const slot = at + ROW_HEAD + SLOT * answer;
        const kind = words[slot + 3]!;
        const type = ROW_TYPES[kind]!;
        const isGathered = gatheredLength(kind, words[slot + 1]!, words[slot + 2]!) >= 0;
        rows.lines.push(line);
        rows.columns.push(this.columnOf(slot, begin, (known & ASCII_LEAD) !== 0 && answer === keys.length - 1));
        rows.valueTexts.push(isGathered || isContainerType(type) ? answerText : this.fieldText(slot));
        rows.types.push(type);
      } else if (this.rest.length === 0) {
        const match = { kind: 'node', descriptor: 'jsonl-line', line, column: 1 } as const;
        this.matches.push({ names: [lineName(this.slot, line)], match });
      } else {
        this.parseLine(line, begin, words[at + 3]!);
      }
    }
  }

  /** The text of a leaf that was not gathered; containers have none. */
  private fieldText(slot: number): string {
    const { words, bytes } = this.scanner;
    const kind = words[slot + 3]!;
    if (kind >= FIELD.object) return '';
    const text = decodeText(bytes.subarray(words[slot + 1]!, words[slot + 2]!));
    return kind === FIELD.plain || kind === FIELD.coded ? (JSON.parse(text) as string) : text;
  }

  private columnOf(slot: number, begin: number, isAscii: boolean): number {
    const key = this.scanner.words[slot]!;
    if (isAscii) return key - begin + 1;
    return decodeText(this.scanner.bytes.subarray(begin, key)).length + 1;
  }

  /** Decides a line with the full parser. */
  private parseLine(line: number, begin: number, stop: number): void {
    const record = readRecord(this.scanner.bytes.subarray(begin, stop));
    if (!passes(record, this.plan.predicate)) return;
    for (const found of matchesIn(record, line, lineName(this.slot, line), this.rest)) this.add(found);
  }

  private add(found: LineMatch): void {
    const { rows } = this;
    const { match } = found;
    if (rows === undefined) {
      this.matches.push(found);
    } else if (match.kind === 'leaf' || match.kind === 'node') {
      rows.lines.push(match.line);
      rows.columns.push(match.column);
      rows.valueTexts.push(match.kind === 'leaf' ? match.valueText : '');
      rows.types.push(match.kind === 'leaf' ? match.leafType : (match.descriptor as RowType));
    }
  }

  private newRows(): Rows | undefined {
    const [step] = this.rest;
    if (this.plan.answer < 0 || step === undefined) return undefined;
    const name = { slot: step.slot, text: step.spelling };
    return { type: 'rows', lineSlot: this.slot, name, lines: [], columns: [], valueTexts: [], types: [] };
  }
}

function isContainerType(type: RowType): type is Exclude<RowType, LeafType> {
  return type === 'jsonc-object' || type === 'jsonc-array';
}
