/** The syntax errors of JSONC, shared by the parser in memory and the scanner of large sources. */
import type { Problem } from '../../kind.ts';

export const MAX_DEPTH = 256;

export const EMPTY_DOCUMENT = 'the document contains no value';
export const OPEN_COMMENT = 'the comment is not closed';
export const OPEN_STRING = 'the string is not closed';
export const CONTROL_CHARACTER = 'a control character must be escaped in a string';

export function syntaxError(offset: number, message: string): Problem {
  return { code: 'OC_JSONC_PARSE_FAILED', offset, message };
}

/** `found` is undefined at the end of the document. */
export function unexpected(offset: number, found: string | undefined, wanted: string): Problem {
  const what = found === undefined ? 'the end of the document' : JSON.stringify(found);
  return syntaxError(offset, `expected ${wanted}, found ${what}`);
}

export function missingComma(offset: number, found: string | undefined, isInObject: boolean): Problem {
  return unexpected(offset, found, isInObject ? "',' or '}'" : "',' or ']'");
}

export function notAValue(offset: number, word: string): Problem {
  return syntaxError(offset, `${JSON.stringify(word.slice(0, 40))} is not a JSON value`);
}

export function badEscape(offset: number, letter: string): Problem {
  return syntaxError(offset, letter === 'u' ? '\\u needs four hexadecimal digits' : `\\${letter} is not a JSON escape`);
}

export function tooDeep(offset: number): Problem {
  return { code: 'OC_JSONC_DEPTH_EXCEEDED', offset, message: `more than ${MAX_DEPTH} levels of nesting` };
}
