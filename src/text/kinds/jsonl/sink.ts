import { CONTAINER_KIND, type Match } from '../../walk/match.ts';
import type { Name } from '../../walk/walk.ts';
import { encodeText } from '../../lines/bytes.ts';
import { formatRow, PlacedTemplate, type RowTemplate } from '../../scan/format.ts';
import { LAYOUT, type Scanner } from '../../scan/scan.ts';
import type { Slot } from '../../kind.ts';
import { type Batch, isContainerType, type LineMatch, type Rows, type RowType } from './batch.ts';

/** Collects matches until their batch is taken. */
export interface Sink<B> {
  /** Adds a row; only for patterns whose matches differ only in line and value. */
  row(line: number, column: number, valueText: string, type: RowType): void;
  /** Adds a match of a parsed line. */
  match(found: LineMatch): void;
  /** Takes plain rows directly from the scanner's memory and returns their number. */
  bulk?(rows: number, count: number, rowSize: number, lineBase: number): number;
  /** The matches since the last call. */
  take(): B | undefined;
}

export class MatchSink implements Sink<Batch> {
  private readonly slot: Slot;
  private matches: LineMatch[] = [];

  constructor(slot: Slot) {
    this.slot = slot;
  }

  /** A row without an answer field is the line itself. */
  row(line: number): void {
    const match = { kind: CONTAINER_KIND, descriptor: 'jsonl-line', line, column: 1 } as const;
    this.matches.push({ names: [{ slot: this.slot, text: `L${line}` }], match });
  }

  match(found: LineMatch): void {
    this.matches.push(found);
  }

  take(): Batch | undefined {
    const { matches } = this;
    if (matches.length === 0) return undefined;
    this.matches = [];
    return { type: 'matches', matches };
  }
}

export class ColumnSink implements Sink<Batch> {
  private readonly lineSlot: Slot;
  private readonly name: Name;
  private rows: Rows;

  constructor(lineSlot: Slot, name: Name) {
    this.lineSlot = lineSlot;
    this.name = name;
    this.rows = this.empty();
  }

  row(line: number, column: number, valueText: string, type: RowType): void {
    const { lines, columns, valueTexts, types } = this.rows;
    lines.push(line);
    columns.push(column);
    valueTexts.push(valueText);
    types.push(type);
  }

  match({ match }: LineMatch): void {
    rowFrom(match, this);
  }

  take(): Batch | undefined {
    const { rows } = this;
    if (rows.lines.length === 0) return undefined;
    this.rows = this.empty();
    return rows;
  }

  private empty(): Rows {
    const { lineSlot, name } = this;
    return { type: 'rows', lineSlot, name, lines: [], columns: [], valueTexts: [], types: [] };
  }
}

export interface RowText {
  readonly type: 'text';
  readonly count: number;
  /** UTF-8. The last chunk is valid only until the next batch is requested. */
  readonly chunks: readonly Uint8Array[];
}

/** Formats rows as text, plain rows without creating strings. */
export class TextSink implements Sink<RowText> {
  private readonly scanner: Scanner;
  private readonly template: RowTemplate;
  private readonly placed: PlacedTemplate | undefined;
  private chunks: Uint8Array[] = [];
  private end: number = LAYOUT.formatted;
  private count = 0;

  constructor(scanner: Scanner, template: RowTemplate) {
    this.scanner = scanner;
    this.template = template;
    this.placed = PlacedTemplate.place(scanner, template.leaf);
  }

  bulk(rows: number, count: number, rowSize: number, lineBase: number): number {
    const { placed } = this;
    if (placed === undefined) return 0;
    let total = 0;
    for (;;) {
      const { done, end } = placed.write(rows + total * rowSize, count - total, rowSize, lineBase, this.end);
      total += done;
      this.end = end;
      this.count += done;
      if (total === count || placed.hasRoom(this.end)) return total;
      this.flush();
    }
  }

  row(line: number, column: number, valueText: string, type: RowType): void {
    const pieces = isContainerType(type) ? this.template.container : this.template.leaf;
    const bytes = encodeText(formatRow(pieces, { line, column, value: valueText, type }));
    this.count++;
    if (this.end + bytes.length > LAYOUT.formattedEnd) this.flush();
    if (LAYOUT.formatted + bytes.length > LAYOUT.formattedEnd) {
      this.chunks.push(bytes);
      return;
    }
    this.scanner.bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  match({ match }: LineMatch): void {
    rowFrom(match, this);
  }

  take(): RowText | undefined {
    const { count } = this;
    if (count === 0) return undefined;
    const chunks = [...this.chunks, this.scanner.bytes.subarray(LAYOUT.formatted, this.end)];
    this.chunks = [];
    this.end = LAYOUT.formatted;
    this.count = 0;
    return { type: 'text', count, chunks };
  }

  private flush(): void {
    if (this.end > LAYOUT.formatted) this.chunks.push(this.scanner.bytes.slice(LAYOUT.formatted, this.end));
    this.end = LAYOUT.formatted;
  }
}

/** Adds a match as a row: a key of a line is a leaf or a container. */
function rowFrom(match: Match, sink: Pick<Sink<unknown>, 'row'>): void {
  if (match.kind === 'leaf') sink.row(match.line, match.column, match.valueText, match.leafType);
  else if (match.kind === CONTAINER_KIND) sink.row(match.line, match.column, '', match.descriptor as RowType);
}
