/** Throws a SyntaxError with `lineNumber` and `columnNumber`. */
export type ParseJson5 = (text: string) => unknown;

/** Loads the package on demand, and escapes U+2028 and U+2029 in strings: the package prints a warning for each. */
export async function loadJson5Parser(): Promise<ParseJson5> {
  const { parse } = (await import('json5')).default;
  return (text) => parse(text.includes('\u2028') || text.includes('\u2029') ? escaped(text) : text);
}

const COMMENT_OR_TEXT = /\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/gu;

/** After a backslash a separator continues the line, so it stays. */
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
