import { encodeText } from '../lines/bytes.ts';
import { LAYOUT, type Scanner } from './scan.ts';

/** Literal text, or a value of the row. `value` is the content of a JSON string. */
export type TemplatePiece = string | { readonly insert: 'line' | 'column' | 'value' | 'type' };

export interface RowTemplate {
  readonly leaf: readonly TemplatePiece[];
  /** `type` is the descriptor, and `value` is empty. */
  readonly container: readonly TemplatePiece[];
}

export interface RowValues {
  readonly line: number;
  readonly column: number;
  readonly value: string;
  readonly type: string;
}

const INSERTS = { line: 1, column: 2, value: 3, type: 4 } as const;
const TYPE_NAMES = ['', 'string', 'string', 'number', 'boolean', 'boolean', 'null'];

const PIECES = LAYOUT.tables + 0x4000;
const TYPES = LAYOUT.tables + 0x4800;
const SCRATCH = LAYOUT.tables + 0x4f00;
const TEXTS = LAYOUT.texts + 0x7000;
const MAX_PIECES = 100;
/** Space for value, numbers and type of one row, which are copied in steps of 16 bytes. */
const ROW_RESERVE = 2048;

export function formatRow(pieces: readonly TemplatePiece[], values: RowValues): string {
  let out = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') out += piece;
    else if (piece.insert === 'value') out += JSON.stringify(values.value).slice(1, -1);
    else out += String(values[piece.insert]);
  }
  return out;
}

/** A template in the scanner's memory, for rows that the scanner formats. */
export class PlacedTemplate {
  private readonly scanner: Scanner;
  private readonly pieceCount: number;
  private readonly reserve: number;

  private constructor(scanner: Scanner, pieces: readonly TemplatePiece[], textBytes: number) {
    this.scanner = scanner;
    this.pieceCount = pieces.length;
    this.reserve = ROW_RESERVE * Math.max(1, pieces.length) + textBytes;
  }

  /** Writes a template into memory; undefined if it does not fit. */
  static place(scanner: Scanner, pieces: readonly TemplatePiece[]): PlacedTemplate | undefined {
    let at: number = TEXTS;
    const texts = [
      ...pieces.map((piece) => (typeof piece === 'string' ? encodeText(piece) : undefined)),
      ...TYPE_NAMES.map(encodeText),
    ];
    const total = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    if (pieces.length > MAX_PIECES || TEXTS + total + 16 > LAYOUT.textsEnd) return undefined;
    for (const [i, text] of texts.entries()) {
      const piece = pieces[i];
      const isType = i >= pieces.length;
      if (isType) scanner.words.set([at, text?.length ?? 0], TYPES / 4 + (i - pieces.length) * 2);
      else if (typeof piece === 'object') scanner.words.set([INSERTS[piece.insert], 0, 0], PIECES / 4 + i * 3);
      else scanner.words.set([0, at, text?.length ?? 0], PIECES / 4 + i * 3);
      if (text !== undefined) scanner.bytes.set(text, at);
      at += text?.length ?? 0;
    }
    return new PlacedTemplate(scanner, pieces, total);
  }

  hasRoom(out: number): boolean {
    return out + this.reserve <= LAYOUT.formattedEnd;
  }

  /** Formats rows to `out` until one is not plain or does not fit. Returns their number and the end of the text. */
  write(
    rows: number,
    count: number,
    rowSize: number,
    lineBase: number,
    out: number,
  ): { readonly done: number; readonly end: number } {
    const { wasm } = this.scanner;
    const { formattedEnd } = LAYOUT;
    const done = wasm.formatRows(
      rows,
      count,
      rowSize,
      lineBase,
      PIECES,
      this.pieceCount,
      TYPES,
      SCRATCH,
      out,
      formattedEnd,
      this.reserve,
    );
    return { done, end: wasm.formatEnd.value as number };
  }
}
