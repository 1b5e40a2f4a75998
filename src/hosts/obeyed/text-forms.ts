/** The forms in which files name paths: JSON and shell escapes, working folders of commands, and folders on PATH. */

const RUNS_IN = /(?:\bcd\s+|"cwd"\s*:\s*|\bcwd\s*=\s*)["']?([^\s"';&|]+)/gu;
const ON_PATH = /\bPATH_add\s+["']?([^\s"';&|]+)/gu;
const ESCAPED_BLANK = /(?:[^\s"'`;&|()\\]|\\ )+/gu;

/** The text, followed by its JSON strings and its words with escaped blanks, all without escapes. */
export function withUnescaped(text: string): string {
  const blanks = [...text.matchAll(ESCAPED_BLANK)].map(([word]) => word).filter((word) => word.includes('\\ '));
  const words = blanks.map((word) => `"${word.replaceAll('\\ ', ' ')}"`);
  return [text, ...jsonStrings(text), ...words].join('\n');
}

export function workingFolders(text: string): readonly string[] {
  return operands(text, RUNS_IN);
}

export function foldersOnPath(text: string): readonly string[] {
  return operands(text, ON_PATH);
}

function operands(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, word]) => word!))];
}

/** The strings that contain an escape. Not by a regular expression, which takes quadratic time for many escaped quotes. */
function* jsonStrings(text: string): Generator<string> {
  for (let at = text.indexOf('"'); at >= 0; ) {
    let end = at + 1;
    while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
    const literal = text.slice(at, end + 1);
    if (literal.includes('\\') && literal.endsWith('"')) yield* unescaped(literal);
    at = text.indexOf('"', end + 1);
  }
}

function* unescaped(literal: string): Generator<string> {
  try {
    yield String(JSON.parse(literal));
  } catch {
    // Not a JSON string; its words are found in the text itself.
  }
}
