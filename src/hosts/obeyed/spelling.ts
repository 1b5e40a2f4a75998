/** How files spell what they name: escapes of JSON and of shells, folders that commands run in, and folders on PATH. */

const RUNS_IN = /(?:\bcd\s+|"cwd"\s*:\s*|\bcwd\s*=\s*)["']?([^\s"';&|]+)/gu;
const ON_PATH = /\bPATH_add\s+["']?([^\s"';&|]+)/gu;
const ESCAPED_BLANK = /(?:[^\s"'`;&|()\\]|\\ )+/gu;

/** The text, and behind it its JSON strings and its words with escaped blanks as they are meant. */
export function withMeant(text: string): string {
  const blanks = [...text.matchAll(ESCAPED_BLANK)].map(([word]) => word).filter((word) => word.includes('\\ '));
  const words = blanks.map((word) => `"${word.replaceAll('\\ ', ' ')}"`);
  return [text, ...jsonStrings(text), ...words].join('\n');
}

/** Folders that commands change to, or that a server is started in. */
export function foldersRunIn(text: string): readonly string[] {
  return operands(text, RUNS_IN);
}

/** Folders whose programs are found by their names alone. */
export function foldersOnPath(text: string): readonly string[] {
  return operands(text, ON_PATH);
}

function operands(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, word]) => word!))];
}

/** The strings with an escape in them. By hand, because a pattern takes quadratic time for many escaped quotes. */
function* jsonStrings(text: string): Generator<string> {
  for (let at = text.indexOf('"'); at >= 0; ) {
    let end = at + 1;
    while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
    const spelled = text.slice(at, end + 1);
    if (spelled.includes('\\') && spelled.endsWith('"')) yield* meaningOf(spelled);
    at = text.indexOf('"', end + 1);
  }
}

function* meaningOf(spelled: string): Generator<string> {
  try {
    yield String(JSON.parse(spelled));
  } catch {
    // It is no string of JSON, and its words are found as they are.
  }
}
