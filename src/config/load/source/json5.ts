/** The reader of JSON5, loaded at the moment of need. */

/** Gives the value of a text; throws a SyntaxError with `lineNumber` and `columnNumber` for what is none. */
export type ReadJson5 = (text: string) => unknown;

/** A reader that says nothing of its own: the package would print a line for each U+2028 in a text, whoever wrote it. */
export async function json5Reader(): Promise<ReadJson5> {
  const { parse } = (await import('json5')).default;
  return (text) => parse(text.includes('\u2028') || text.includes('\u2029') ? escaped(text) : text);
}

const COMMENT_OR_TEXT = /\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/gu;

/** The separators inside of texts as escapes; behind a backslash they continue a line. */
function escaped(text: string): string {
  return text.replace(COMMENT_OR_TEXT, (token) =>
    token.startsWith('/')
      ? token
      : token.replace(/\\[^]|[\u2028\u2029]/gu, (part) => {
          if (part.length > 1) return part;
          return part === '\u2028' ? '\\u2028' : '\\u2029';
        }),
  );
}
