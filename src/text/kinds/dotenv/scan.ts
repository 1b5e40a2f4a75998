/**
 * The lines of an environment file: `KEY=value`, `export KEY=value`, comments and blank lines. Syntax that loaders
 * interpret differently is a problem.
 */
import type { Problem } from '../../kind.ts';

export type Quote = '' | '"' | "'" | '`';

export interface Entry {
  readonly key: string;
  /** The line with its indentation and line ending. */
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly keyStart: number;
  readonly isExported: boolean;
  readonly quote: Quote;
  readonly start: number;
  readonly end: number;
}

export interface Scanned {
  readonly entries: readonly Entry[];
  readonly problem?: Problem;
}

/** The keys that every loader accepts. */
const KEY = String.raw`[A-Za-z_][\w.-]*`;
const ONLY_KEY = new RegExp(`^${KEY}$`, 'u');
const HEAD = new RegExp(String.raw`([ \t]*)(export[ \t]+)?(${KEY})[ \t]*=[ \t]*`, 'uy');
const NOTHING = /[ \t]*(?:#[^\r\n]*)?(?=\r|\n|$)/uy;
const REST_OF_LINE = /[^\r\n]*/uy;
const LINE_ENDING = /\r\n|\r|\n|$/uy;

export function isKey(text: string): boolean {
  return ONLY_KEY.test(text);
}

export function scanDotenv(text: string): Scanned {
  const entries: Entry[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const afterNothing = endOf(NOTHING, text, at);
    if (afterNothing !== undefined) {
      at = endOf(LINE_ENDING, text, afterNothing)!;
      continue;
    }
    const read = readEntry(text, at);
    if ('code' in read) return { entries, problem: read };
    entries.push(read);
    at = read.lineEnd;
  }
  return { entries };
}

function readEntry(text: string, lineStart: number): Entry | Problem {
  HEAD.lastIndex = lineStart;
  const head = HEAD.exec(text);
  if (head === null) return broken(lineStart, 'this line is neither KEY=value nor a comment');
  const [, blanks = '', exported, key = ''] = head;
  const keyStart = lineStart + blanks.length + (exported?.length ?? 0);
  const known = { key, lineStart, keyStart, isExported: exported !== undefined };
  const start = HEAD.lastIndex;
  const quote = text[start];
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = quotedEnd(text, start, quote);
    if (typeof end !== 'number') return end;
    const after = endOf(NOTHING, text, end);
    if (after === undefined) return broken(end, 'unexpected text after the closing quote; quote the whole value');
    return { ...known, quote, start, end, lineEnd: endOf(LINE_ENDING, text, after)! };
  }
  // `A= # c` has no value: a blank and # start a comment.
  const sign = text.lastIndexOf('=', start - 1) + 1;
  const isEmpty = start > sign && (text[start] === '#' || isLineEnd(text, start));
  const end = isEmpty || isLineEnd(text, start) ? sign : blanksBefore(text, start, plainEnd(text, start));
  const after = endOf(NOTHING, text, end)!;
  return { ...known, quote: '', start: end === sign ? sign : start, end, lineEnd: endOf(LINE_ENDING, text, after)! };
}

/** The start of a comment (a blank and `#`), or the end of the line. */
function plainEnd(text: string, start: number): number {
  const end = endOf(REST_OF_LINE, text, start)!;
  const comment = text.slice(start, end).search(/[ \t]#/u);
  return comment < 0 ? end : start + comment;
}

function quotedEnd(text: string, start: number, quote: Exclude<Quote, ''>): number | Problem {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++;
    else if (text[at] === quote) {
      if (quote !== '"' && text[at - 1] === '\\')
        return broken(at - 1, 'loaders disagree about a backslash before this closing quote');
      return at + 1;
    }
  }
  return broken(start, 'the quote is not closed');
}

function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n' || text[at] === '\r';
}

function blanksBefore(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  return at;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) === null ? undefined : pattern.lastIndex;
}

function broken(offset: number, message: string): Problem {
  return { code: 'OC_DOTENV_PARSE_FAILED', offset, message };
}
