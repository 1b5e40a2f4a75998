/**
 * Translates JSON5 to JSON with comments, because the kind that edits documents in place knows only the latter. Tokens that are
 * not valid JSON are rewritten, and every offset of the translation maps back to an offset of the source.
 */

import type { ParseJson5 } from './json5.ts';

export interface Translated {
  readonly text: string;
  /** Maps an offset between two tokens of `text` to an offset of the source. */
  origin(offset: number): number;
}

interface Piece {
  /** Its start in the translation and in the source. */
  readonly at: number;
  readonly from: number;
  /** Whether it is unchanged. */
  readonly same: boolean;
}

const LINE_COMMENT = /\/\/[^\n\r\u2028\u2029]*/uy;
const BLOCK_COMMENT = /\/\*[^]*?\*\//uy;
/** White space in JSON5 but not in JSON. */
const ODD_BLANKS = /[\v\f\u00a0\ufeff\u2028\u2029\p{Zs}]/u;
const WORD = /[^\s\p{Zs}\ufeff{}[\],:"'/]+/uy;
/** Each alternative can end in only one way, so a colon inside a comment never matches. */
const BEFORE_COLON =
  /(?:[\s\ufeff]|\/\/[^\n\r\u2028\u2029]*(?=[\n\r\u2028\u2029]|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*:/uy;

/** `source` must be valid JSON5. */
export function toJsonc(source: string, parse: ParseJson5): Translated {
  const pieces: Piece[] = [];
  let text = '';
  const put = (from: number, written: string, same: boolean): void => {
    // Adjacent unchanged tokens form one piece.
    if (!(same && pieces.at(-1)?.same)) pieces.push({ at: text.length, from, same });
    text += written;
  };
  for (let at = 0; at < source.length; ) {
    const token = tokenAt(LINE_COMMENT, source, at) ?? tokenAt(BLOCK_COMMENT, source, at) ?? quotedAt(source, at);
    const word = token === undefined ? tokenAt(WORD, source, at) : undefined;
    const found = token ?? word ?? source[at]!;
    const written =
      word === undefined ? asJson(found, parse) : wordAsJson(word, isKeyBefore(source, at + word.length), parse);
    put(at, written, written.length === found.length);
    at += found.length;
  }
  put(source.length, '', true);
  return { text, origin: (offset) => originOf(pieces, offset) };
}

function tokenAt(shape: RegExp, source: string, at: number): string | undefined {
  shape.lastIndex = at;
  return shape.exec(source)?.[0];
}

/** A regular expression would need a stack as deep as the string is long. */
function quotedAt(source: string, open: number): string | undefined {
  const quote = source[open];
  if (quote !== '"' && quote !== "'") return undefined;
  let at = open + 1;
  while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
  return source.slice(open, at + 1);
}

function isKeyBefore(source: string, at: number): boolean {
  BEFORE_COLON.lastIndex = at;
  return BEFORE_COLON.test(source);
}

/** For strings, comments, punctuation and white space. */
function asJson(token: string, parse: ParseJson5): string {
  if (token[0] === "'") return JSON.stringify(parse(token));
  if (token[0] === '"') return isJsonString(token) ? token : JSON.stringify(parse(token));
  // A byte order mark stays. U+2028 and U+2029 end a line comment, so they become line feeds.
  if (token.length === 1 && token !== '\ufeff' && ODD_BLANKS.test(token))
    return /[\u2028\u2029]/u.test(token) ? '\n' : ' ';
  return token;
}

function isJsonString(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false; // has an escape that only JSON5 knows
  }
}

function wordAsJson(word: string, isKey: boolean, parse: ParseJson5): string {
  if (isKey) return JSON.stringify(Object.keys(parse(`{${word}:0}`) as object)[0]);
  if (word === 'true' || word === 'false' || word === 'null') return word;
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(word)) return word;
  const value = parse(word);
  // JSON has no infinity. No setting accepts it, but its neighbours must still be found.
  return Number.isFinite(value) ? String(value) : 'null';
}

function originOf(pieces: readonly Piece[], offset: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle]!.at <= offset) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low]!;
  if (offset === piece.at) return piece.from;
  if (!piece.same) throw new RangeError(`offset ${offset} is inside a translated token`);
  return piece.from + offset - piece.at;
}
