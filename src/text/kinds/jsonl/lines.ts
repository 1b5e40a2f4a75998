import { type JsoncPlace, parseJsonc, provenJsonc } from '../jsonc/jsonc.ts';
import type { Document } from '../../kind.ts';

/** One physical line of a JSONL text. */
export class Line {
  /** Counts from 1. */
  readonly number: number;
  readonly start: number;
  /** The end of its content, before LF or CRLF. */
  readonly end: number;
  /** The start of the next line. */
  readonly next: number;
  private readonly text: string;
  private readonly isProven: boolean;
  private parsed: Document<JsoncPlace> | 'no-value' | undefined;

  /** `isProven`: a scanner has already found the line to be valid JSON. */
  constructor(text: string, number: number, start: number, isProven = false) {
    const newline = text.indexOf('\n', start);
    this.text = text;
    this.isProven = isProven;
    this.number = number;
    this.start = start;
    this.next = newline < 0 ? text.length : newline + 1;
    this.end = newline < 0 ? text.length : newline > start && text[newline - 1] === '\r' ? newline - 1 : newline;
  }

  /** The JSONC document of the line; undefined if the line is blank or malformed. */
  get document(): Document<JsoncPlace> | undefined {
    this.parsed ??= this.parse();
    return this.parsed === 'no-value' ? undefined : this.parsed;
  }

  private parse(): Document<JsoncPlace> | 'no-value' {
    const source = this.text.slice(this.start, this.end);
    if (this.isProven) return provenJsonc(source);
    const document = parseJsonc(source);
    return document.problems.length === 0 ? document : 'no-value';
  }
}

/** The physical lines of a text. Text after the last newline is a line only if it is not empty. */
export function* linesOf(text: string): Generator<Line> {
  let number = 1;
  for (let at = 0; at < text.length; ) {
    const line = new Line(text, number++, at);
    yield line;
    at = line.next;
  }
}

/** The physical line with this number, from 1. */
export function lineOf(text: string, number: number): Line | undefined {
  let at = 0;
  for (let before = 1; before < number; before++) {
    const newline = text.indexOf('\n', at);
    if (newline < 0) return undefined;
    at = newline + 1;
  }
  return number >= 1 && at < text.length ? new Line(text, number, at) : undefined;
}

/** The number in a line's name: `L3`, `L03`. */
export function lineNumber(name: string): number | undefined {
  const found = /^L0*([1-9]\d{0,14})$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}
