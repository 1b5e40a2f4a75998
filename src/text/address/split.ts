import { OcPathError } from './address.ts';

/**
 * Splits at a separator outside quotes, brackets and braces. Throws OC_PATH_UNBALANCED for a group that is not closed,
 * and for a closing bracket without an opening one.
 */
export function splitTop(text: string, separator: string, input: string, limit = Number.POSITIVE_INFINITY): string[] {
  const parts: string[] = [];
  let start = 0;
  let i = 0;
  while (i < text.length) {
    const char = text[i]!;
    if (char === separator && parts.length < limit) {
      parts.push(text.slice(start, i));
      start = ++i;
    } else i = skipGroup(text, i, input);
  }
  parts.push(text.slice(start));
  return parts;
}

/** The offset after the group, or the single character, that begins at `i`. */
function skipGroup(text: string, i: number, input: string): number {
  switch (text[i]) {
    case '"':
      return skipQuoted(text, i, i > 0 && text[i - 1] === '$' && startsSub(text, i - 1), input);
    case '[':
      return skipBracket(text, i, input);
    case '{':
      return skipBrace(text, i, input);
    case ']':
    case '}':
      throw new OcPathError(
        'OC_PATH_UNBALANCED',
        `'${text[i]}' has no opening bracket`,
        input,
        'quote a key that contains brackets',
      );
    default:
      return i + 1;
  }
}

/** A `$` begins a JSON-quoted sub-segment only where a sub-segment (or an inserted key) begins. */
function startsSub(text: string, i: number): boolean {
  return i === 0 || '/.{,+'.includes(text[i - 1]!);
}

function skipQuoted(text: string, open: number, json: boolean, input: string): number {
  for (let i = open + 1; i < text.length; i++) {
    if (json && text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  throw new OcPathError('OC_PATH_UNBALANCED', 'a quote is not closed', input);
}

/** Inside brackets everything except brackets is literal, so `[id=foo/bar]` and `[k=a.b]` need no quotes. */
function skipBracket(text: string, open: number, input: string): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return i + 1;
  }
  throw new OcPathError('OC_PATH_UNBALANCED', "a '[' is not closed", input);
}

function skipBrace(text: string, open: number, input: string): number {
  let i = open + 1;
  while (i < text.length) {
    if (text[i] === '}') return i + 1;
    i = skipGroup(text, i, input);
  }
  throw new OcPathError('OC_PATH_UNBALANCED', "a '{' is not closed", input);
}
