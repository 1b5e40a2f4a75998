/** Plain scalars in the core schema of YAML 1.2. */
import { type ExactNumber, isJsonNumber, jsonNumber } from '../../json/value.ts';
import type { LeafType } from '../../kind.ts';

const WORDS: Readonly<Record<string, LeafType>> = {
  '': 'null',
  '~': 'null',
  null: 'null',
  Null: 'null',
  NULL: 'null',
  true: 'boolean',
  True: 'boolean',
  TRUE: 'boolean',
  false: 'boolean',
  False: 'boolean',
  FALSE: 'boolean',
};
const INTEGER = /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const SPECIAL_FLOAT = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

export function plainType(source: string): LeafType {
  const word = Object.hasOwn(WORDS, source) ? WORDS[source] : undefined;
  if (word !== undefined) return word;
  return isFiniteSpelling(source) || SPECIAL_FLOAT.test(source) ? 'number' : 'string';
}

/** True for a number of the core schema other than `.inf` and `.nan`. */
function isFiniteSpelling(source: string): boolean {
  return INTEGER.test(source) || FLOAT.test(source);
}

/** True for a finite number of JSON or the core schema. */
export function isWritableNumber(source: string): boolean {
  return isFiniteSpelling(source) && Number.isFinite(Number(decimal(source)));
}

/** The decimal spelling of a number, as JSON if possible. */
function decimal(source: string): string {
  if (isJsonNumber(source)) return source;
  const negative = source.startsWith('-');
  const digits = source.replace(/^[-+]/, '');
  if (/^(?:0o|0x|\d+$)/.test(digits)) return `${negative ? '-' : ''}${BigInt(digits)}`;
  const [, whole = '', part = '', exponent = ''] = /^(\d*)\.?(\d*)((?:[eE].*)?)$/.exec(digits) ?? [];
  return `${negative ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${part && `.${part}`}${exponent}`;
}

/** A number as JSON with all its digits. `.inf` and `.nan` stay strings, because JSON lacks them. */
export function plainNumber(source: string): number | ExactNumber | string {
  if (!isFiniteSpelling(source)) return source;
  const text = decimal(source);
  return isJsonNumber(text) ? jsonNumber(text) : source;
}
