/** Takes one page of a text: whole lines within the limits, or a part of one long line. */
import { characterBoundary } from '../../text/encoding/boundary.ts';
import type { Encoding } from '../../text/encoding/encoding.ts';
import { byteLength } from '../../text/lines/bytes.ts';
import { readRange } from '../../text/scan/source.ts';
import type { InLine } from './cursor.ts';
import { type PageLimits, weightOf } from './limits.ts';
import { findNewline, type TextSource } from './text-source.ts';

export interface Page {
  /** Each line ending is `\n`. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Why it ends: end of the text, limit of lines, limit of bytes, or inside a line. */
  readonly ended: 'text' | 'lines' | 'bytes' | 'inside-line';
  /** Where to continue inside the line. */
  readonly inLine: InLine | undefined;
  /** The number of lines after the page, if they were read too. */
  readonly linesAfter: number | undefined;
  /** The page and the text after it, as far as it was decoded. */
  readonly decoded: string;
  /** Some bytes are invalid in this encoding. */
  readonly damaged: boolean;
}

export interface PageOptions extends PageLimits {
  readonly numbered: boolean;
}

/** Enough bytes to reach the limits: no encoding needs more than four for one byte or character of the answer. */
function windowFor({ bytes, weight }: PageLimits): number {
  return Math.min(bytes, weight) * 4 + 64;
}

/** `at.offset` may be inside its line. */
export function takePage(text: TextSource, at: InLine, options: PageOptions): Page {
  const { source, encoding } = text;
  const window = readRange(source, at.offset, Math.min(source.size, at.offset + windowFor(options)));
  const atEnd = at.offset + window.length >= source.size;
  const whole = atEnd
    ? window
    : window.subarray(0, characterBoundary(encoding, window, Math.max(0, window.length - 4)));
  const decoded = encoding.decode(whole);
  const taken = takeLines(decoded, text, at, options, atEnd);
  if (taken.lines > 0) {
    const rest = decoded.length - taken.end;
    return {
      text: taken.text,
      from: at.line,
      to: at.line + taken.lines - 1,
      ended: rest === 0 && atEnd ? 'text' : taken.full,
      inLine: undefined,
      linesAfter: atEnd ? linesIn(decoded.slice(taken.end), newlineOf(text)) : undefined,
      decoded,
      damaged: isDamaged(taken.text, encoding, whole),
    };
  }
  const newline = findNewline(text, whole);
  const cut = cutLine(text, newline < 0 ? whole : whole.subarray(0, newline), at, options);
  return {
    text: cut.text,
    from: at.line,
    to: at.line,
    ended: 'inside-line',
    inLine: { ...at, offset: at.offset + cut.bytes },
    linesAfter: undefined,
    decoded,
    damaged: isDamaged(cut.text, encoding, whole.subarray(0, cut.bytes)),
  };
}

/** Checks the bytes too, because the file itself may contain U+FFFD. */
function isDamaged(shown: string, encoding: Encoding, bytes: Uint8Array): boolean {
  return shown.includes('\ufffd') && !encoding.fits(bytes);
}

interface Taken {
  readonly text: string;
  readonly lines: number;
  /** An offset in the decoded text. */
  readonly end: number;
  readonly full: 'lines' | 'bytes';
}

function takeLines(decoded: string, text: TextSource, at: InLine, options: PageOptions, atEnd: boolean): Taken {
  const newline = newlineOf(text);
  const shown: string[] = [];
  let bytes = 0;
  let weight = 0;
  let end = 0;
  // An empty rest of a line is still a line: a cursor may point to the end of the file.
  while (shown.length < options.lines && (end < decoded.length || (shown.length === 0 && at.offset > at.lineStart))) {
    const found = decoded.indexOf(newline, end);
    if (found < 0 && !atEnd) return { text: shown.join(''), lines: shown.length, end, full: 'bytes' };
    const next = found < 0 ? decoded.length : found + 1;
    const line = prefixOf(at, shown.length, options) + withoutReturn(decoded.slice(end, next), newline);
    bytes += byteLength(line);
    if (options.weight !== Number.POSITIVE_INFINITY) weight += weightOf(line);
    if (bytes > options.bytes || weight > options.weight)
      return { text: shown.join(''), lines: shown.length, end, full: 'bytes' };
    shown.push(line);
    end = next;
  }
  return { text: shown.join(''), lines: shown.length, end, full: 'lines' };
}

/** The longest part of a line within the limits, at least one character. */
function cutLine(text: TextSource, line: Uint8Array, at: InLine, options: PageOptions) {
  const { encoding } = text;
  const prefix = prefixOf(at, 0, options);
  const upTo = (length: number) => {
    const bytes = characterBoundary(encoding, line, length);
    return { bytes, text: prefix + encoding.decode(line.subarray(0, bytes)) };
  };
  const fits = (part: string) => byteLength(part) <= options.bytes && weightOf(part) <= options.weight;
  let least = 1;
  while (least < line.length && upTo(least).bytes === 0) least++;
  let most = Math.max(least, line.length);
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(upTo(middle).text)) least = middle;
    else most = middle - 1;
  }
  return upTo(least);
}

function prefixOf({ line, lineStart, offset }: InLine, index: number, { numbered }: PageOptions): string {
  if (!numbered || (index === 0 && offset > lineStart)) return '';
  return `${String(line + index).padStart(6)}\t`;
}

function newlineOf({ newline }: TextSource): '\n' | '\r' {
  return newline === 10 ? '\n' : '\r';
}

function withoutReturn(line: string, newline: '\n' | '\r'): string {
  if (newline === '\r') return line.replace(/\r$/u, '\n');
  return line.endsWith('\r\n') ? `${line.slice(0, -2)}\n` : line;
}

function linesIn(text: string, newline: string): number {
  return countOf(text, newline) + (text === '' || text.endsWith(newline) ? 0 : 1);
}

export function countOf(text: string, newline: string): number {
  let count = 0;
  for (let at = text.indexOf(newline); at >= 0; at = text.indexOf(newline, at + 1)) count++;
  return count;
}
