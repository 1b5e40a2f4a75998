/** The seven kinds of HTML block in CommonMark: how each starts and ends. */
import { isBlankUnit, skipBlanks } from './block-starts.ts';

const LESS = 60;
const GREATER = 62;
const SLASH = 47;

/** The kind (1 to 7) of the HTML block that the line starts, or 0. */
export function htmlKind(text: string, from: number, end: number): number {
  const second = text.charCodeAt(from + 1);
  if (from + 1 >= end) return 0;
  if (second === 33) {
    if (text.startsWith('<!--', from)) return 2;
    if (text.startsWith('<![CDATA[', from)) return 5;
    return isLetter(text.charCodeAt(from + 2)) && from + 2 < end ? 4 : 0;
  }
  if (second === 63) return 3;
  const closing = second === SLASH;
  const nameStart = closing ? from + 2 : from + 1;
  const nameEnd = tagNameEnd(text, nameStart, end);
  if (nameEnd === nameStart) return 0;
  // No name in the tables is longer than ten letters.
  const name = nameEnd - nameStart <= 10 ? text.slice(nameStart, nameEnd).toLowerCase() : '';
  const after = nameEnd < end ? text.charCodeAt(nameEnd) : SPACE_OR_END;
  if (!closing && isRawName(name) && (isBlankUnit(after) || after === GREATER || after === SPACE_OR_END)) return 1;
  const bounded =
    isBlankUnit(after) ||
    after === GREATER ||
    after === SPACE_OR_END ||
    (after === SLASH && text.charCodeAt(nameEnd + 1) === GREATER && nameEnd + 1 < end);
  if (bounded && isBlockName(name)) return 6;
  const tagEnd = closing ? closingTagEnd(text, nameEnd, end) : openTagEnd(text, nameEnd, end);
  return tagEnd > 0 && skipBlanks(text, tagEnd, end) === end ? 7 : 0;
}

const SPACE_OR_END = -1;

/** The text that ends a block of kind 2 to 5. */
export function htmlTerminator(kind: number): string {
  return kind === 2 ? '-->' : kind === 3 ? '?>' : kind === 4 ? '>' : ']]>';
}

/** True if the line contains an end tag for a block of kind 1. */
export function endsRawHtml(text: string, from: number, end: number): boolean {
  // Search only this line: a search to the end of the text would take quadratic time for long scripts.
  const line = text.slice(from, end);
  for (let at = line.indexOf('</'); at >= 0; at = line.indexOf('</', at + 2)) {
    const nameEnd = tagNameEnd(line, at + 2, Math.min(line.length, at + 12));
    if (line.charCodeAt(nameEnd) === GREATER && isRawName(line.slice(at + 2, nameEnd).toLowerCase())) return true;
  }
  return false;
}

function isRawName(name: string): boolean {
  return name === 'script' || name === 'pre' || name === 'style' || name === 'textarea';
}

let blockNames: Set<string> | undefined;

/** Builds the table on first use, so a file without HTML does not pay for it. */
function isBlockName(name: string): boolean {
  blockNames ??= new Set(
    (
      'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt ' +
      'fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link ' +
      'main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead ' +
      'title tr track ul'
    ).split(' '),
  );
  return blockNames.has(name);
}

function isLetter(unit: number): boolean {
  const lower = unit | 32;
  return lower >= 97 && lower <= 122;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function tagNameEnd(text: string, from: number, end: number): number {
  if (from >= end || !isLetter(text.charCodeAt(from))) return from;
  let at = from + 1;
  for (; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (!isLetter(unit) && !isDigit(unit) && unit !== 45) break;
  }
  return at;
}

function closingTagEnd(text: string, nameEnd: number, end: number): number {
  const at = skipBlanks(text, nameEnd, end);
  return at < end && text.charCodeAt(at) === GREATER ? at + 1 : 0;
}

function openTagEnd(text: string, nameEnd: number, end: number): number {
  let at = nameEnd;
  for (;;) {
    const next = skipBlanks(text, at, end);
    if (next >= end) return 0;
    const unit = text.charCodeAt(next);
    if (unit === GREATER) return next + 1;
    if (unit === SLASH) return next + 1 < end && text.charCodeAt(next + 1) === GREATER ? next + 2 : 0;
    if (next === at) return 0;
    at = attributeEnd(text, next, end);
    if (at === 0) return 0;
  }
}

function attributeEnd(text: string, from: number, end: number): number {
  const first = text.charCodeAt(from);
  if (!isLetter(first) && first !== 95 && first !== 58) return 0;
  let at = from + 1;
  for (; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (!isLetter(unit) && !isDigit(unit) && unit !== 95 && unit !== 58 && unit !== 46 && unit !== 45) break;
  }
  const equals = skipBlanks(text, at, end);
  if (equals >= end || text.charCodeAt(equals) !== 61) return at;
  const value = skipBlanks(text, equals + 1, end);
  if (value >= end) return 0;
  const quote = text.charCodeAt(value);
  if (quote === 34 || quote === 39) {
    for (at = value + 1; at < end; at++) if (text.charCodeAt(at) === quote) return at + 1;
    return 0;
  }
  for (at = value; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 32 || unit === 34 || unit === 39 || unit === 61 || unit === LESS || unit === GREATER || unit === 96)
      break;
  }
  return at === value ? 0 : at;
}
