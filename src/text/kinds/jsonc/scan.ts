/**
 * JSONC by spans: JSON with comments and trailing commas. `firstProblem` reads the whole text once and proves it;
 * the other functions then skip over proven text without building a tree.
 */
import type { Problem } from '../../kind.ts';
import { hasNumberSpelling } from '../../json/value.ts';

export const MAX_DEPTH = 256;

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const COMMA = 44;
const COLON = 58;

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 10 || unit === 13 || unit === 9;
}

/** The offset of the next token: behind blanks and comments. An unclosed block comment ends at the text's end. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (isBlank(unit)) at++;
    else if (unit === 47) {
      const next = text.charCodeAt(at + 1);
      if (next === 47) at = lineCommentEnd(text, at);
      else if (next === 42) {
        const end = text.indexOf('*/', at + 2);
        at = end < 0 ? text.length : end + 2;
      } else return at;
    } else return at;
  }
}

/** A line comment ends before CR or LF, whatever the file uses. */
export function lineCommentEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 13) return at;
  }
  return text.length;
}

/** Where the value of the document begins: behind the byte order mark, blanks and comments. */
export function documentStart(text: string): number {
  return skipBlanks(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
}

/** The offset behind the string that begins at `open`, or -1 when it is not closed. */
export function skipString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let slashes = 0;
    while (text.charCodeAt(close - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return close + 1;
  }
  return -1;
}

/** The offset behind the proven value that begins at `from`. */
export function skipValue(text: string, from: number): number {
  const unit = text.charCodeAt(from);
  if (unit === QUOTE) return skipString(text, from);
  if (unit !== OPEN_OBJECT && unit !== OPEN_ARRAY) return skipWord(text, from);
  let depth = 0;
  let at = from;
  for (;;) {
    const here = text.charCodeAt(at);
    if (here === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    if (here === 47) {
      at = skipBlanks(text, at);
      continue;
    }
    at++;
    if (here === OPEN_OBJECT || here === OPEN_ARRAY) depth++;
    else if ((here === CLOSE_OBJECT || here === CLOSE_ARRAY) && --depth === 0) return at;
  }
}

function skipWord(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (
      isBlank(unit) ||
      unit === COMMA ||
      unit === CLOSE_OBJECT ||
      unit === CLOSE_ARRAY ||
      unit === 47 ||
      unit === COLON
    )
      break;
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY || unit === QUOTE) break;
  }
  return at;
}

/** One entry of an object or element of an array; elements have `keyStart === keyEnd === start`. */
export interface Entry {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

/** The entries of the proven container that begins at `open`, in order, found one at a time. */
export function* entriesOf(text: string, open: number): Generator<Entry> {
  const isObject = text.charCodeAt(open) === OPEN_OBJECT;
  let at = skipBlanks(text, open + 1);
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) return;
    const keyStart = at;
    let keyEnd = at;
    if (isObject) {
      keyEnd = skipString(text, at);
      at = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    }
    const end = skipValue(text, at);
    yield isObject ? { keyStart, keyEnd, start: at, end } : { keyStart, keyEnd: keyStart, start: at, end };
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
}

/** The first thing that makes the text no JSONC document, or undefined. Iterative: depth is bounded, not the stack. */
export function firstProblem(text: string): Problem | undefined {
  const problem = (offset: number, message: string): Problem => ({ code: 'OC_JSONC_PARSE_FAILED', offset, message });
  const unexpected = (offset: number, wanted: string): Problem =>
    offset >= text.length
      ? problem(text.length, `the document ends where ${wanted} should stand`)
      : problem(offset, `found ${JSON.stringify(text[offset])} where ${wanted} should stand`);
  const openComment = unclosedComment(text);
  if (openComment !== undefined) return problem(openComment, 'the comment is not closed');

  const closers: number[] = [];
  let at = documentStart(text);
  if (at >= text.length) return problem(at, 'the document holds no value');
  let wanted: 'value' | 'value-or-close' | 'key-or-close' | 'comma' = 'value';
  for (;;) {
    const unit = text.charCodeAt(at);
    const closer = closers[closers.length - 1];
    const mayClose = wanted !== 'value';
    if (mayClose && unit === closer) {
      closers.pop();
      at++;
    } else if (wanted === 'comma') {
      if (unit !== COMMA) return unexpected(at, closer === CLOSE_OBJECT ? "',' or '}'" : "',' or ']'");
      at = skipBlanks(text, at + 1);
      wanted = closer === CLOSE_OBJECT ? 'key-or-close' : 'value-or-close';
      continue;
    } else if (wanted === 'key-or-close') {
      if (unit !== QUOTE) return unexpected(at, 'a key in double quotes');
      const end = soundStringEnd(text, at);
      if (end < 0) return badString(text, at);
      at = skipBlanks(text, end);
      if (text.charCodeAt(at) !== COLON) return unexpected(at, "':'");
      at = skipBlanks(text, at + 1);
      wanted = 'value';
      continue;
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (closers.length >= MAX_DEPTH)
        return { code: 'OC_JSONC_DEPTH_EXCEEDED', offset: at, message: `more than ${MAX_DEPTH} levels of nesting` };
      closers.push(unit === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
      at = skipBlanks(text, at + 1);
      wanted = unit === OPEN_OBJECT ? 'key-or-close' : 'value-or-close';
      continue;
    } else if (unit === QUOTE) {
      const end = soundStringEnd(text, at);
      if (end < 0) return badString(text, at);
      at = end;
    } else {
      const end = skipWord(text, at);
      if (end === at) return unexpected(at, 'a value');
      const word = text.slice(at, end);
      if (word !== 'true' && word !== 'false' && word !== 'null' && !hasNumberSpelling(word))
        return problem(at, `${JSON.stringify(word.slice(0, 40))} is no JSON value`);
      at = end;
    }
    at = skipBlanks(text, at);
    if (closers.length === 0) return at < text.length ? unexpected(at, 'the end of the document') : undefined;
    wanted = 'comma';
  }
}

function unclosedComment(text: string): number | undefined {
  const last = text.lastIndexOf('/*');
  if (last < 0 || text.indexOf('*/', last + 2) >= 0) return undefined;
  // Rare: walk the tokens to see whether that `/*` is a comment at all, and not inside a string or line comment.
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = skipString(text, at);
      if (end < 0) return undefined;
      at = end;
    } else if (unit === 47 && text.charCodeAt(at + 1) === 42) {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) return at;
      at = end + 2;
    } else if (unit === 47 && text.charCodeAt(at + 1) === 47) at = lineCommentEnd(text, at);
    else at++;
  }
  return undefined;
}

const ESCAPES = '"\\/bfnrt';

/** The offset behind a string without faults, -1 for one that has any. */
function soundStringEnd(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i + 1;
    if (unit < 32) return -1;
    if (unit !== BACKSLASH) continue;
    const escape = text[++i] ?? '';
    if (escape === 'u') {
      if (!isFourHex(text, i + 1)) return -1;
      i += 4;
    } else if (escape === '' || !ESCAPES.includes(escape)) return -1;
  }
  return -1;
}

function isFourHex(text: string, at: number): boolean {
  return /^[0-9a-fA-F]{4}$/.test(text.slice(at, at + 4));
}

/** What is wrong with a string that is not sound. */
function badString(text: string, open: number): Problem {
  const problem = (offset: number, message: string): Problem => ({ code: 'OC_JSONC_PARSE_FAILED', offset, message });
  for (let i = open + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) break;
    if (unit < 32) return problem(i, 'a control character must be escaped in a string');
    if (unit !== BACKSLASH) continue;
    const escape = text[++i] ?? '';
    if (escape === 'u') {
      if (!isFourHex(text, i + 1)) return problem(i - 1, '\\u needs four hexadecimal digits');
      i += 4;
    } else if (escape === '' || !ESCAPES.includes(escape)) return problem(i - 1, `\\${escape} is no escape of JSON`);
  }
  return problem(open, 'the string is not closed');
}
