/** Reads the settings of a repository, as far as they say what git obeys; nothing is run for it. */

/** One setting: `remote.url` with the subsection `origin`. A name without a value means true. */
export interface GitSetting {
  readonly name: string;
  readonly subsection?: string;
  readonly value: string;
}

const HEADER = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/u;
const ENTRY = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*)|[;#].*)?$/u;

/** All settings in the order of the file; a name that stands twice has two. */
export function readGitConfig(text: string): GitSetting[] {
  const found: GitSetting[] = [];
  let section = '';
  let subsection: string | undefined;
  for (const line of joined(text)) {
    const header = HEADER.exec(line);
    if (header !== null) {
      section = (header[1] ?? '').toLowerCase();
      subsection = header[2]?.replaceAll(/\\(.)/gu, '$1');
    }
    // Behind its header a section may begin on the same line.
    const entry = ENTRY.exec(header === null ? line : line.slice(header[0].length));
    if (entry !== null)
      found.push({
        name: `${section}.${(entry[1] ?? '').toLowerCase()}`,
        ...(subsection === undefined ? {} : { subsection }),
        value: entry[2] === undefined ? 'true' : valueOf(entry[2]),
      });
  }
  return found;
}

/** Lines, with those that a backslash continues put together. */
function joined(text: string): string[] {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?<!\\)((?:\\\\)*)\\\n/gu, '$1')
    .split('\n');
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** The value behind `=`: quotes may stand anywhere, a comment ends it outside of them. */
function valueOf(written: string): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let at = 0; at < written.length; at++) {
    const char = written[at] ?? '';
    if (char === '"') isQuoted = !isQuoted;
    else if (char === '\\') {
      const next = written[++at] ?? '';
      value += ESCAPED[next] ?? next;
    } else if (!isQuoted && (char === '#' || char === ';')) break;
    else if (!isQuoted && /\s/u.test(char)) {
      if (value !== '') value += char;
      continue;
    } else value += char;
    kept = value.length;
  }
  return value.slice(0, kept);
}
