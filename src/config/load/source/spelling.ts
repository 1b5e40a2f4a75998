/** The quoting style of a JSON5 file, so that inserted text has the same style. */
export interface Spelling {
  readonly bareKeys: boolean;
  readonly singleQuotes: boolean;
}

const COMMENT_OR_TOKEN =
  /\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*(?=\s*:)/gu;

/** The first key and the first string decide. */
export function detectSpelling(source: string): Spelling {
  let bareKeys: boolean | undefined;
  let singleQuotes: boolean | undefined;
  for (const { 0: token, index } of source.matchAll(COMMENT_OR_TOKEN)) {
    if (token.startsWith('/')) continue;
    const isText = token[0] === '"' || token[0] === "'";
    const isKey = !isText || /^\s*:/u.test(source.slice(index + token.length, index + token.length + 80));
    if (isKey && token !== '"$schema"' && token !== "'$schema'") bareKeys ??= !isText;
    if (isText) singleQuotes ??= token[0] === "'";
    if (bareKeys !== undefined && singleQuotes !== undefined) break;
  }
  return { bareKeys: bareKeys ?? false, singleQuotes: singleQuotes ?? false };
}

export function applySpelling(json: string, { bareKeys, singleQuotes }: Spelling): string {
  return json.replace(/"((?:[^"\\]|\\.)*)"(\s*:)?/gu, (whole, inside: string, colon: string | undefined) => {
    if (colon !== undefined && bareKeys && /^[A-Za-z_$][\w$]*$/u.test(inside)) return `${inside}${colon}`;
    if (singleQuotes && !/['\\]/u.test(inside)) return `'${inside}'${colon ?? ''}`;
    return whole;
  });
}
