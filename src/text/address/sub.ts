import { OcPathError } from './address.ts';
import { type Predicate, readPredicate } from './predicate.ts';
import { splitTop } from './split.ts';

/** A parsed sub-segment. */
export type Sub =
  | { readonly type: 'literal'; readonly text: string; readonly quoted: boolean }
  | { readonly type: 'any' }
  | { readonly type: 'deep' }
  | { readonly type: 'union'; readonly alternatives: readonly Sub[] }
  | { readonly type: 'predicate'; readonly predicate: Predicate }
  | { readonly type: 'first' }
  | { readonly type: 'last' }
  | { readonly type: 'ordinal'; readonly index: number }
  | { readonly type: 'insert'; readonly key?: string; readonly index?: number };

const WHITE_SPACE = /\s/;
const RESERVED_OR_BLANK = /[?&%\s]/;

/** `input` is the whole path, for messages. */
export function readSub(text: string, input: string): Sub {
  const first = text[0];
  if (first === undefined)
    throw new OcPathError(
      'OC_PATH_EMPTY_SUB_SEGMENT',
      'a dotted sub-segment is empty',
      input,
      'quote a key that contains dots',
    );
  if (first === '"' || text.startsWith('$"')) return { type: 'literal', text: unquote(text, input), quoted: true };
  if (first === '[') return readBracket(text, input);
  if (first === '{') return readBrace(text, input);
  if (first === '+') return readInsertion(text.slice(1), input);
  checkPlain(text, input);
  if (text === '*') return { type: 'any' };
  if (text === '**') return { type: 'deep' };
  if (text === '$first') return { type: 'first' };
  if (text === '$last') return { type: 'last' };
  if (/^#\d+$/.test(text)) return { type: 'ordinal', index: Number(text.slice(1)) };
  return { type: 'literal', text, quoted: false };
}

/** The text inside `"…"` or `$"…"`. */
export function unquote(text: string, input: string): string {
  if (text[0] === '$') {
    try {
      return JSON.parse(text.slice(1)) as string;
    } catch {
      throw new OcPathError('OC_PATH_UNQUOTABLE', `${text} is not $ and a JSON string`, input);
    }
  }
  const body = text.slice(1, -1);
  if (text.length < 2 || !text.endsWith('"') || body.includes('"') || body.includes('\\'))
    throw new OcPathError(
      'OC_PATH_UNQUOTABLE',
      `${text} is not a quoted sub-segment`,
      input,
      'a key with " or \\ is written $"…" with a JSON string',
    );
  return body;
}

function readBracket(text: string, input: string): Sub {
  const predicate = text.endsWith(']') && closesAtEnd(text) ? readPredicate(text.slice(1, -1)) : 'malformed';
  if (predicate === 'malformed')
    throw new OcPathError(
      'OC_PATH_MALFORMED_PREDICATE',
      `${text} is not [key op value]`,
      input,
      'operators: = != < <= > >=',
    );
  if (predicate === undefined) return { type: 'literal', text, quoted: false };
  return { type: 'predicate', predicate };
}

function closesAtEnd(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return i === text.length - 1;
  }
  return false;
}

function readBrace(text: string, input: string): Sub {
  const malformed = (what: string) =>
    new OcPathError('OC_PATH_MALFORMED_UNION', `${text} ${what}`, input, 'a union is {a,b,c}');
  const body = text.slice(1, -1);
  if (!text.endsWith('}')) throw malformed('continues after its closing brace');
  if (body === '') throw malformed('is an empty union');
  let parts: string[];
  try {
    parts = splitTop(body, ',', input);
  } catch {
    throw malformed('is not one pair of braces');
  }
  if (parts.includes('')) throw malformed('has an empty alternative');
  return { type: 'union', alternatives: parts.map((part) => readAlternative(part, input)) };
}

/** An alternative is one sub-segment: dots belong to its key, and reserved characters and inner blanks need no quotes. */
function readAlternative(part: string, input: string): Sub {
  const isBare = !/["[\]{}]/.test(part) && part === part.trim();
  if (isBare && RESERVED_OR_BLANK.test(part)) return { type: 'literal', text: part, quoted: false };
  const sub = readSub(part, input);
  if (sub.type === 'insert') return { type: 'literal', text: part, quoted: false };
  return sub;
}

function readInsertion(key: string, input: string): Sub {
  if (key === '') return { type: 'insert' };
  if (/^\d+$/.test(key)) return { type: 'insert', index: Number(key) };
  if (key[0] === '"' || key.startsWith('$"')) return { type: 'insert', key: unquote(key, input) };
  checkPlain(key, input);
  return { type: 'insert', key };
}

/** Refuses characters that need quotes. */
export function checkPlain(text: string, input: string): void {
  if (text.includes('"'))
    throw new OcPathError('OC_PATH_UNQUOTABLE', `quotes must enclose the whole sub-segment ${text}`, input);
  if (/[[\]{}]/.test(text)) {
    const code = text.includes('[') ? 'OC_PATH_MALFORMED_PREDICATE' : 'OC_PATH_MALFORMED_UNION';
    throw new OcPathError(
      code,
      `brackets must enclose the whole sub-segment ${text}`,
      input,
      'quote a key that contains brackets',
    );
  }
  if (/[?&%]/.test(text))
    throw new OcPathError(
      'OC_PATH_RESERVED_CHAR',
      `${text} contains a reserved character (? & %)`,
      input,
      'quote the sub-segment',
    );
  if (WHITE_SPACE.test(text))
    throw new OcPathError('OC_PATH_WHITESPACE', `${text} contains whitespace`, input, 'quote the sub-segment');
}

export function splitSlot(slot: string, input: string): string[] {
  return splitTop(slot, '.', input);
}

export function isPatternSub(sub: Sub): boolean {
  return sub.type === 'any' || sub.type === 'deep' || sub.type === 'union' || sub.type === 'predicate';
}
