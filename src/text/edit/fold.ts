/**
 * A text without the differences that a level ignores, and the mapping back to the source. Unchanged runs map one to one;
 * everything else is a unit: some characters of the source became some characters of the fold, possibly none.
 */
import { isBlank, isMark, plainForm } from './characters.ts';
import { type Level, reaches } from './levels.ts';

const LF = 10;
const CR = 13;

export class Folded {
  readonly text: string;
  private readonly units: Units;

  constructor(text: string, units: Units) {
    this.text = text;
    this.units = units;
  }

  /** The source start of the folded character at `at`, after removed characters; undefined inside a unit. */
  sourceStart(at: number): number | undefined {
    const { from, length, source, sourceLength } = this.units;
    const unit = lastAtMost(from, at);
    if (unit < 0) return at;
    const beyond = at - from[unit]! - length[unit]!;
    if (beyond >= 0) return source[unit]! + sourceLength[unit]! + beyond;
    return at === from[unit]! ? source[unit]! : undefined;
  }

  /** The source end of the folded character before `at`; undefined inside a unit. */
  sourceEnd(at: number): number | undefined {
    if (at === 0) return 0;
    const { from, length, source, sourceLength } = this.units;
    const unit = lastAtMost(from, at - 1);
    if (unit < 0) return at;
    const beyond = at - from[unit]! - length[unit]!;
    return beyond >= 0 ? source[unit]! + sourceLength[unit]! + beyond : undefined;
  }

  /** The number of folded characters before a place of the source; undefined inside a unit that was not removed. */
  foldedAt(place: number): number | undefined {
    const { from, length, source, sourceLength } = this.units;
    const unit = lastAtMost(source, place);
    if (unit < 0) return place;
    const beyond = place - source[unit]! - sourceLength[unit]!;
    if (beyond >= 0) return from[unit]! + length[unit]! + beyond;
    return place === source[unit] || length[unit] === 0 ? from[unit]! : undefined;
  }

  /** The removed range that contains a place of the source, or ends there. */
  vanishedAt(place: number): { readonly start: number; readonly end: number } | undefined {
    const { length, source, sourceLength } = this.units;
    const unit = lastAtMost(source, place - 1);
    if (unit < 0 || length[unit] !== 0) return undefined;
    const start = source[unit]!;
    const end = start + sourceLength[unit]!;
    return place <= end ? { start, end } : undefined;
  }
}

interface Units {
  readonly from: number[];
  readonly length: number[];
  readonly source: number[];
  readonly sourceLength: number[];
}

/** `lines`: the text begins and ends with whole lines. `inside`: a piece with unknown surroundings. */
export type Edges = 'lines' | 'inside';

/** Bounds the memory; no real text has so many differences. */
const MOST_DIFFERENCES = 1 << 21;

export function unfolded(text: string): Folded {
  return new Folded(text, { from: [], length: [], source: [], sourceLength: [] });
}

/** Folds a text in linear time; undefined when there are too many differences. */
export function fold(text: string, level: Level, edges: Edges): Folded | undefined {
  const units: Units = { from: [], length: [], source: [], sourceLength: [] };
  const trailing = reaches(level, 'trailing-blanks');
  const punctuation = reaches(level, 'punctuation');
  const indentation = reaches(level, 'indentation');
  const runs = reaches(level, 'whitespace');
  let out = '';
  let copied = 0;
  /** The length of the fold up to `copied`. */
  let folded = 0;
  let differences = 0;

  const replace = (start: number, end: number, as: string): void => {
    out += text.slice(copied, start) + as;
    folded += start - copied;
    differences++;
    if (as.length !== 1 || end - start !== 1) {
      units.from.push(folded);
      units.length.push(as.length);
      units.source.push(start);
      units.sourceLength.push(end - start);
    }
    folded += as.length;
    copied = end;
  };

  /** Folds a run of blanks. */
  const blanks = (start: number, end: number): void => {
    const next = text.charCodeAt(end);
    const closing = end === text.length ? edges === 'lines' : next === LF || next === CR;
    const before = text.charCodeAt(start - 1);
    const leading = start === 0 ? edges === 'lines' : before === LF || before === CR;
    if (trailing && closing) replace(start, end, '');
    else if (indentation && leading) replace(start, end, '');
    else if (runs && (end - start > 1 || text[start] !== ' ')) replace(start, end, ' ');
    else if (punctuation)
      for (let at = start; at < end; at++) if (text.charCodeAt(at) >= 0x80) replace(at, at + 1, ' ');
  };

  for (let i = 0; i < text.length; ) {
    if (differences > MOST_DIFFERENCES) return undefined;
    const unit = text.charCodeAt(i);
    if (unit === CR) {
      const end = text.charCodeAt(i + 1) === LF ? i + 2 : i + 1;
      replace(i, end, '\n');
      i = end;
    } else if (trailing && isBlank(unit, punctuation)) {
      const start = i;
      while (i < text.length && isBlank(text.charCodeAt(i), punctuation)) i++;
      blanks(start, i);
    } else if (punctuation && unit >= 0x80) i = foldCharacter(text, i, copied, replace);
    else i++;
  }
  return new Folded(out + text.slice(copied), units);
}

/** Folds one character beyond ASCII, or an accent with its base character; returns the next offset. */
function foldCharacter(
  text: string,
  at: number,
  copied: number,
  replace: (start: number, end: number, as: string) => void,
): number {
  const unit = text.charCodeAt(at);
  // Ideographs are frequent and never change.
  if (unit >= 0x3400 && unit <= 0x9fff) return at + 1;
  if (isPair(text, at)) return at + 2;
  const plain = plainForm(unit);
  if (plain !== undefined) {
    replace(at, at + 1, plain);
    return at + 1;
  }
  if (!isMark(unit)) return foldLone(text, at, replace);
  let end = at + 1;
  while (end < text.length && isMark(text.charCodeAt(end))) end++;
  const base = at >= 2 && isPair(text, at - 2) ? at - 2 : at - 1;
  if (base >= copied) {
    const composed = text.slice(base, end).normalize('NFC');
    if (composed !== text.slice(base, end)) replace(base, end, composed);
  }
  return end;
}

/** Single characters that normalization changes, such as the Kelvin sign. */
function foldLone(text: string, at: number, replace: (start: number, end: number, as: string) => void): number {
  const character = text[at]!;
  const composed = character.normalize('NFC');
  if (composed !== character) replace(at, at + 1, composed);
  return at + 1;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** The index of the last number that is at most `value`, or -1. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = -1;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
