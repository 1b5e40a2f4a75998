/**
 * JSON5 through the eyes of the JSONC kind: every name and value that JSONC does not know is spelled as JSON, all blanks,
 * comments and brackets stay where they are, and offsets lead back. So one editor serves both, and bytes outside of its
 * splices stay as they were.
 */
import { isJsonNumber } from '../../text/json/value.ts';
import type { Splice } from '../../text/lines/splice.ts';

export interface Seen {
  readonly text: string;
  /** Splices of the JSONC text as splices of the source. */
  back(splices: readonly Splice[]): readonly Splice[];
}

/** A piece of the source, and what it became. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

const COMMENT = /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\//uy;
const WORD = /[^\s\uFEFF{}[\],:"'/]+/uy;

/** `parse` is that of JSON5, which has read the whole source already without a complaint. */
export function asJsonc(source: string, parse: (text: string) => unknown): Seen {
  let text = '';
  const pieces: Piece[] = [];
  const keep = (found: string, at: number): void => {
    // One unit for one: JSONC knows four blanks, and a byte order mark only as the very first character.
    const isMark = at === 0 && found === '\uFEFF';
    text += isMark ? found : found.replace(/[\u2028\u2029]/gu, '\n').replace(/[^\S \t\r\n]/gu, ' ');
  };
  const replace = (from: number, found: string, by: string): void => {
    pieces.push({ from, to: from + found.length, start: text.length, end: text.length + by.length });
    text += by;
  };
  for (let at = 0; at < source.length; ) {
    const comment = match(COMMENT, source, at);
    const string = comment ?? textAt(source, at);
    const word = string ?? match(WORD, source, at);
    const found = word ?? source[at]!;
    if (comment !== undefined || word === undefined) keep(found, at);
    else if (string !== undefined) replace(at, found, JSON.stringify(parse(found)));
    else if (isKey(source, at + found.length))
      replace(at, found, JSON.stringify(Object.keys(parse(`{${found}:0}`) as object)[0]));
    else replace(at, found, /^(?:true|false|null)$/u.test(found) || isJsonNumber(found) ? found : '0');
    at += found.length;
  }
  const offset = (at: number): number => {
    const piece = pieces.findLast(({ start }) => start < at);
    return piece === undefined ? at : at >= piece.end ? at - piece.end + piece.to : piece.from;
  };
  return {
    text,
    back: (splices) => splices.map((splice) => ({ ...splice, start: offset(splice.start), end: offset(splice.end) })),
  };
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The quoted text that begins here; a pattern would need a stack as deep as the text is long. */
function textAt(source: string, open: number): string | undefined {
  const quote = source[open];
  if (quote !== '"' && quote !== "'") return undefined;
  let at = open + 1;
  while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
  return source.slice(open, at + 1);
}

/** A word that a colon follows is a name. */
function isKey(source: string, from: number): boolean {
  let at = from;
  for (;;) {
    const comment = match(COMMENT, source, at);
    if (comment !== undefined) at += comment.length;
    else if (/[\s\uFEFF]/u.test(source[at] ?? '')) at++;
    else return source[at] === ':';
  }
}
