/** Where a regular expression ends in a script, if all programs of the language agree. */

/** How a `\` is read between `[` and `]`. */
type InBrackets = 'escape' | 'literal';

/**
 * The index of the closing `delimiter`, from `at`. Programs disagree whether a delimiter between `[` and `]` ends the expression, and
 * whether `\` is an escape there: undefined where that makes a difference.
 */
export function endOfExpression(text: string, at: number, delimiter: string): number | undefined {
  const flat = endWithoutBrackets(text, at, delimiter);
  if (flat === undefined) return undefined;
  const agree = (['escape', 'literal'] as const).every((how) => endWithBrackets(text, at, delimiter, how) === flat);
  return agree ? flat : undefined;
}

/** The same for text without brackets, such as a replacement. */
export function endWithoutBrackets(text: string, at: number, delimiter: string): number | undefined {
  for (let i = at; i < text.length; i++) {
    const char = text[i]!;
    if (char === delimiter) return i;
    if (char === '\n') return undefined;
    if (char === '\\') i++;
  }
  return undefined;
}

function endWithBrackets(text: string, at: number, delimiter: string, how: InBrackets): number | undefined {
  for (let i = at; i < text.length; i++) {
    const char = text[i]!;
    if (char === delimiter) return i;
    if (char === '\n') return undefined;
    if (char === '\\') i++;
    else if (char === '[') {
      const end = endOfBrackets(text, i, how);
      if (end === undefined) return undefined;
      i = end;
    }
  }
  return undefined;
}

/** The index of the `]` that ends the bracket expression at `at`. A `]` in first place is a character. */
function endOfBrackets(text: string, at: number, how: InBrackets): number | undefined {
  let i = at + 1;
  if (text[i] === '^') i++;
  if (text[i] === ']') i++;
  for (; i < text.length; i++) {
    const char = text[i]!;
    if (char === ']') return i;
    if (char === '\n') return undefined;
    if (char === '\\' && how === 'escape') i++;
    else if (char === '[' && /[:.=]/.test(text[i + 1] ?? '')) {
      const close = text.indexOf(`${text[i + 1]}]`, i + 2);
      if (close < 0) return undefined;
      i = close + 1;
    }
  }
  return undefined;
}

/**
 * In a locale of two bytes per character, the second byte can be `\`, `[` or `|`: after a character that is not ASCII, such a
 * character would be part of it.
 */
export function hasAmbiguousBytes(text: string): boolean {
  return /[^\0-\x7F][:;<=>?@[\\\]^_`{|}~]/.test(text);
}
