/** Parses a git config file as git's own parser does, without running git. */

/** For example `remote.url` with the subsection `origin`. A name without a value means true. */
export interface GitSetting {
  readonly name: string;
  readonly subsection?: string;
  readonly value: string;
}

/** The settings in file order, up to the first character that git would refuse. */
export interface GitConfig {
  readonly settings: readonly GitSetting[];
  /** The line that git refuses; git stops there, and so does this parser. */
  readonly brokenLine?: number;
}

const NAME_START = /^[A-Za-z]$/u;
/** Runs of literal characters: one by one, a long file would take too long. */
const BLANKS = /[ \t\n]+/uy;
const BLANKS_IN_LINE = /[ \t]+/uy;
const SECTION_CHARACTERS = /[A-Za-z0-9.-]+/uy;
const NAME_CHARACTERS = /[A-Za-z0-9-]+/uy;
const PLAIN = /[^ \t\r\n"\\#;]+/uy;
const PLAIN_QUOTED = /[^\r\n"\\]+/uy;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' };
const BYTE_ORDER_MARK = '\ufeff';

export function readGitConfig(text: string): GitConfig {
  const settings: GitSetting[] = [];
  const cursor = new Cursor(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  let section = '';
  while (!cursor.isAtEnd) {
    cursor.run(BLANKS);
    const char = cursor.next();
    if (isBlank(char)) continue;
    if (char === '#' || char === ';') cursor.skipLine();
    else if (char === '[') {
      const header = readHeader(cursor);
      if (header === undefined) return { settings, brokenLine: cursor.line };
      section = header;
    } else {
      const entry = NAME_START.test(char) ? readEntry(char, cursor) : undefined;
      if (entry === undefined) return { settings, brokenLine: cursor.line };
      settings.push(...entry.values.map((value) => settingOf(section + entry.name, value)));
    }
  }
  return { settings };
}

/** Returns characters one by one; skips the CR of a CRLF, and the end counts as a line feed. */
class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The line of the character that was read last. */
  get line(): number {
    return this.#text.slice(0, Math.max(0, this.#at - 1)).split('\n').length;
  }

  get isAtEnd(): boolean {
    return this.#at > this.#text.length;
  }

  next(): string {
    if (this.#text[this.#at] === '\r' && this.#text[this.#at + 1] === '\n') this.#at++;
    return this.#text[this.#at++] ?? '\n';
  }

  /** Reads a run of characters; the expression is sticky and matches none that `next` would change. */
  run(sort: RegExp): string {
    sort.lastIndex = this.#at;
    const [text = ''] = sort.exec(this.#text) ?? [];
    this.#at += text.length;
    return text;
  }

  skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = (end < 0 ? this.#text.length : end) + 1;
  }
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n';
}

/** `[section]`, `[section.sub]` or `[section "sub"]`, after its bracket; returns the prefix of the names that follow. */
function readHeader(cursor: Cursor): string | undefined {
  const section = cursor.run(SECTION_CHARACTERS).toLowerCase();
  let char = cursor.next();
  if (char === ']') return section === '' ? undefined : `${section}.`;
  if (!isBlank(char)) return undefined;
  for (; isBlank(char); char = cursor.next()) if (char === '\n') return undefined;
  const subsection = char === '"' ? readSubsection(cursor) : undefined;
  return subsection === undefined ? undefined : `${section}.${subsection}.`;
}

function readSubsection(cursor: Cursor): string | undefined {
  let subsection = '';
  for (;;) {
    let char = cursor.next();
    if (char === '"') return cursor.next() === ']' ? subsection : undefined;
    if (char === '\\') char = cursor.next();
    if (char === '\n') return undefined;
    subsection += char;
  }
}

/** Versions of git treat blanks inside a value differently; then the name has two values. */
function readEntry(
  first: string,
  cursor: Cursor,
): { readonly name: string; readonly values: readonly string[] } | undefined {
  const name = (first + cursor.run(NAME_CHARACTERS)).toLowerCase();
  cursor.run(BLANKS_IN_LINE);
  const char = cursor.next();
  if (char === '\n') return { name, values: ['true'] };
  const value = char === '=' ? readValue(cursor) : undefined;
  return value === undefined ? undefined : { name, values: [...new Set([value.older, value.newer])] };
}

/** Quotes may begin anywhere, a comment ends the value outside of them, a backslash continues it on the next line. */
function readValue(cursor: Cursor): { readonly older: string; readonly newer: string } | undefined {
  let older = '';
  let newer = '';
  let blanks = '';
  let isQuoted = false;
  const take = (text: string): void => {
    older += ' '.repeat(blanks.length) + text;
    newer += blanks + text;
    blanks = '';
  };
  for (;;) {
    const plain = cursor.run(isQuoted ? PLAIN_QUOTED : PLAIN);
    if (plain !== '') take(plain);
    let char = cursor.next();
    if (char === '\n') return isQuoted ? undefined : { older, newer };
    if (!isQuoted && isBlank(char)) {
      const more = char + cursor.run(BLANKS_IN_LINE);
      if (newer !== '') blanks += more;
      continue;
    }
    if (!isQuoted && (char === '#' || char === ';')) {
      cursor.skipLine();
      return { older, newer };
    }
    if (char === '"') {
      take('');
      isQuoted = !isQuoted;
      continue;
    }
    if (char === '\\') {
      const next = cursor.next();
      if (next === '\n') {
        take('');
        continue;
      }
      if (!Object.hasOwn(ESCAPED, next)) return undefined;
      char = ESCAPED[next]!;
    }
    take(char);
  }
}

/** The section ends at the first dot, the name begins after the last one, and the subsection is in between. */
export function settingOf(full: string, value: string): GitSetting {
  const first = full.indexOf('.');
  const last = full.lastIndexOf('.');
  if (first === last) return { name: full.toLowerCase(), value };
  const name = (full.slice(0, first) + full.slice(last)).toLowerCase();
  return { name, subsection: full.slice(first + 1, last), value };
}
