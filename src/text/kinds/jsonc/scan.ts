/**
 * JSONC (JSON with comments and trailing commas) by spans. `firstProblem` checks the whole text once; the other functions
 * then skip over the checked text without building a tree.
 */
import type { Problem } from '../../kind.ts';
import { hasNumberSpelling } from '../../json/value.ts';
import {
  badEscape,
  CONTROL_CHARACTER,
  EMPTY_DOCUMENT,
  MAX_DEPTH,
  missingComma,
  notAValue,
  OPEN_COMMENT,
  OPEN_STRING,
  syntaxError,
  tooDeep,
  unexpected,
} from './problems.ts';

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

/** The offset of the next token. An unclosed block comment ends at the end of the text. */
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

/** A line comment ends before CR or LF. */
export function lineCommentEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 13) return at;
  }
  return text.length;
}

export function documentStart(text: string): number {
  return skipBlanks(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
}

/** The end of the string at `open`, or -1 if it is not closed. */
export function skipString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let slashes = 0;
    while (text.charCodeAt(close - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return close + 1;
  }
  return -1;
}

/** The end of the checked value at `from`. */
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

/** An entry of an object or an element of an array; elements have `keyStart === keyEnd === start`. */
export interface Entry {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

/** The entries of the checked container at `open`, found one at a time. */
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

/** The first syntax error of the text. Not recursive, so nesting cannot overflow the stack. */
export function firstProblem(text: string): Problem | undefined {
  const openComment = unclosedComment(text);
  if (openComment !== undefined) return syntaxError(openComment, OPEN_COMMENT);

  const closers: number[] = [];
  let at = documentStart(text);
  if (at >= text.length) return syntaxError(at, EMPTY_DOCUMENT);
  let wanted: 'value' | 'value-or-close' | 'key-or-close' | 'comma' = 'value';
  for (;;) {
    const unit = text.charCodeAt(at);
    const closer = closers[closers.length - 1];
    const mayClose = wanted !== 'value';
    if (mayClose && unit === closer) {
      closers.pop();
      at++;
    } else if (wanted === 'comma') {
      if (unit !== COMMA) return missingComma(at, text[at], closer === CLOSE_OBJECT);
      at = skipBlanks(text, at + 1);
      wanted = closer === CLOSE_OBJECT ? 'key-or-close' : 'value-or-close';
      continue;
    } else if (wanted === 'key-or-close') {
      if (unit !== QUOTE) return unexpected(at, text[at], 'a key in double quotes');
      const end = validStringEnd(text, at);
      if (end < 0) return badString(text, at);
      at = skipBlanks(text, end);
      if (text.charCodeAt(at) !== COLON) return unexpected(at, text[at], "':'");
      at = skipBlanks(text, at + 1);
      wanted = 'value';
      continue;
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (closers.length >= MAX_DEPTH) return tooDeep(at);
      closers.push(unit === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
      at = skipBlanks(text, at + 1);
      wanted = unit === OPEN_OBJECT ? 'key-or-close' : 'value-or-close';
      continue;
    } else if (unit === QUOTE) {
      const end = validStringEnd(text, at);
      if (end < 0) return badString(text, at);
      at = end;
    } else {
      const end = skipWord(text, at);
      if (end === at) return unexpected(at, text[at], 'a value');
      const word = text.slice(at, end);
      if (word !== 'true' && word !== 'false' && word !== 'null' && !hasNumberSpelling(word))
        return notAValue(at, word);
      at = end;
    }
    at = skipBlanks(text, at);
    if (closers.length === 0) return at < text.length ? unexpected(at, text[at], 'the end of the document') : undefined;
    wanted = 'comma';
  }
}

function unclosedComment(text: string): number | undefined {
  const last = text.lastIndexOf('/*');
  if (last < 0 || text.indexOf('*/', last + 2) >= 0) return undefined;
  // Rare: read the tokens to find out if this `/*` is a comment, or part of a string or line comment.
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

function validStringEnd(text: string, open: number): number {
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

function badString(text: string, open: number): Problem {
  for (let i = open + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) break;
    if (unit < 32) return syntaxError(i, CONTROL_CHARACTER);
    if (unit !== BACKSLASH) continue;
    const escape = text[++i] ?? '';
    if (escape === 'u') {
      if (!isFourHex(text, i + 1)) return badEscape(i - 1, escape);
      i += 4;
    } else if (escape === '' || !ESCAPES.includes(escape)) return badEscape(i - 1, escape);
  }
  return syntaxError(open, OPEN_STRING);
}
