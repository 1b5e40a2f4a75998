/** Block starts of CommonMark. `from` is the first non-blank unit of a line, `end` is the end of the line. */

export const TAB = 9;
export const SPACE = 32;
const HASH = 35;
const STAR = 42;
const PLUS = 43;
const DASH = 45;
const EQUALS = 61;
const BACKTICK = 96;
const TILDE = 126;

export function isBlankUnit(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

export function trimEnd(text: string, from: number, end: number): number {
  while (end > from && isBlankUnit(text.charCodeAt(end - 1))) end--;
  return end;
}

export function skipBlanks(text: string, from: number, end: number): number {
  while (from < end && isBlankUnit(text.charCodeAt(from))) from++;
  return from;
}

function runLength(text: string, from: number, end: number, unit: number): number {
  let at = from;
  while (at < end && text.charCodeAt(at) === unit) at++;
  return at - from;
}

/** The level of an ATX heading; 0 for any other line (`##x`, seven hashes). */
export function atxLevel(text: string, from: number, end: number): number {
  const level = runLength(text, from, end, HASH);
  if (level > 6) return 0;
  return from + level === end || isBlankUnit(text.charCodeAt(from + level)) ? level : 0;
}

/** The end of the text of an ATX heading, before its closing hashes. */
export function atxContentEnd(text: string, content: number, end: number): number {
  const last = trimEnd(text, content, end);
  let hashes = last;
  while (hashes > content && text.charCodeAt(hashes - 1) === HASH) hashes--;
  if (hashes === last) return last;
  if (hashes === content) return content;
  return isBlankUnit(text.charCodeAt(hashes - 1)) ? trimEnd(text, content, hashes) : last;
}

export function fenceLength(text: string, from: number, end: number): number {
  const unit = text.charCodeAt(from);
  const length = runLength(text, from, end, unit);
  if (length < 3) return 0;
  if (unit === BACKTICK) {
    for (let at = from + length; at < end; at++) if (text.charCodeAt(at) === BACKTICK) return 0;
  }
  return length;
}

export function closesFence(text: string, from: number, end: number, unit: number, length: number): boolean {
  const run = runLength(text, from, end, unit);
  return run >= length && skipBlanks(text, from + run, end) === end;
}

/** 1 for a line of `=`, 2 for a line of `-`, else 0. */
export function setextLevel(text: string, from: number, end: number): 0 | 1 | 2 {
  const unit = text.charCodeAt(from);
  if (unit !== EQUALS && unit !== DASH) return 0;
  const run = runLength(text, from, end, unit);
  if (skipBlanks(text, from + run, end) !== end) return 0;
  return unit === EQUALS ? 1 : 2;
}

/** `end` for a thematic break; else the first other unit, or `from` if there are too few marks. */
export function thematicReach(text: string, from: number, end: number): number {
  const unit = text.charCodeAt(from);
  let marks = 0;
  for (let at = from; at < end; at++) {
    const here = text.charCodeAt(at);
    if (here === unit) marks++;
    else if (!isBlankUnit(here)) return at;
  }
  return marks >= 3 ? end : from;
}

/** The length of a list marker (`-`, `12.`) before a blank or the end of the line, or 0. */
export function markerLength(text: string, from: number, end: number): number {
  const unit = text.charCodeAt(from);
  let length = 1;
  if (unit !== DASH && unit !== STAR && unit !== PLUS) {
    let at = from;
    while (at < end && at - from < 10 && isDigit(text.charCodeAt(at))) at++;
    const digits = at - from;
    if (digits === 0 || digits > 9) return 0;
    const delimiter = text.charCodeAt(at);
    if (at === end || (delimiter !== 46 && delimiter !== 41)) return 0;
    length = digits + 1;
  }
  return from + length === end || isBlankUnit(text.charCodeAt(from + length)) ? length : 0;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** False for a unit that can only start or continue a paragraph, so that plain text needs one test. */
export function mayStartBlock(unit: number): boolean {
  if (unit >= 64) return unit === BACKTICK || unit === TILDE || unit === 95 || unit === 124;
  if (unit >= 48) return unit <= 58 || unit === 60 || unit === EQUALS || unit === 62;
  return unit === HASH || unit === STAR || unit === PLUS || unit === DASH;
}
