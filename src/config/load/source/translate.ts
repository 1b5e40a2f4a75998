/**
 * A file of configuration is JSON5: keys may stand bare, texts in single quotes. The kind that knows how to change a document
 * byte for byte knows JSON with comments. So each token that JSON has no spelling for is written as JSON, and every offset of
 * the written text leads back to where it came from.
 */

import type { ReadJson5 } from './json5.ts';

/** The same document as JSON with comments. */
export interface Translated {
  readonly text: string;
  /** The offset in the source that an offset between two tokens of `text` stands for. */
  origin(offset: number): number;
}

interface Piece {
  /** Where it begins, in the written text and in the source. */
  readonly at: number;
  readonly from: number;
  /** Whether it is the same in both, unit for unit. */
  readonly same: boolean;
}

const LINE_COMMENT = /\/\/[^\n\r\u2028\u2029]*/uy;
const BLOCK_COMMENT = /\/\*[^]*?\*\//uy;
/** What JSON5 takes for white space and JSON does not. */
const ODD_BLANKS = /[\v\f\u00a0\ufeff\u2028\u2029\p{Zs}]/u;
const WORD = /[^\s\p{Zs}\ufeff{}[\],:"'/]+/uy;
/** Each part can end in one way only, so that nothing inside of a comment is taken for the colon. */
const BEFORE_COLON =
  /(?:[\s\ufeff]|\/\/[^\n\r\u2028\u2029]*(?=[\n\r\u2028\u2029]|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*:/uy;

/** Translates a text that has been read as JSON5 without a complaint. */
export function toJsonc(source: string, read: ReadJson5): Translated {
  const pieces: Piece[] = [];
  let text = '';
  const put = (from: number, written: string, same: boolean): void => {
    // What stands behind an unchanged piece and is unchanged too needs no piece of its own.
    if (!(same && pieces.at(-1)?.same)) pieces.push({ at: text.length, from, same });
    text += written;
  };
  for (let at = 0; at < source.length; ) {
    const token = tokenAt(LINE_COMMENT, source, at) ?? tokenAt(BLOCK_COMMENT, source, at) ?? quotedAt(source, at);
    const word = token === undefined ? tokenAt(WORD, source, at) : undefined;
    const found = token ?? word ?? source[at]!;
    const written =
      word === undefined ? asJson(found, read) : wordAsJson(word, isKeyBefore(source, at + word.length), read);
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

/** The quoted text that begins here; a pattern would need a stack as deep as the text is long. */
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

/** A text, a comment, a bracket or a blank. */
function asJson(token: string, read: ReadJson5): string {
  if (token[0] === "'") return JSON.stringify(read(token));
  if (token[0] === '"') return isJsonString(token) ? token : JSON.stringify(read(token));
  // The mark at the head of a file stays one; the lines of a comment are those that JSON sees.
  if (token.length === 1 && token !== '\ufeff' && ODD_BLANKS.test(token))
    return /[\u2028\u2029]/u.test(token) ? '\n' : ' ';
  return token;
}

function isJsonString(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false; // an escape that only JSON5 knows
  }
}

function wordAsJson(word: string, isKey: boolean, read: ReadJson5): string {
  if (isKey) return JSON.stringify(Object.keys(read(`{${word}:0}`) as object)[0]);
  if (word === 'true' || word === 'false' || word === 'null') return word;
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(word)) return word;
  const value = read(word);
  // JSON has no infinity; no setting takes one, and it stands here only so that its neighbours can be found.
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
  if (!piece.same) throw new RangeError(`offset ${offset} lies inside of a token that was written anew`);
  return piece.from + offset - piece.at;
}
