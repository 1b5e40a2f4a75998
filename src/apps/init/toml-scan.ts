/**
 * The statements of a TOML text, with their offsets. The scanner knows enough syntax to find the end of each statement
 * (all four forms of strings, multi-line lists and tables, comments), and refuses everything else.
 *
 *   text      = *( blank line | comment | header | pair )
 *   header    = "[" keys "]" | "[[" keys "]]"
 *   pair      = keys "=" value
 *   keys      = key *( "." key )                    key: bare, "basic", 'literal'
 *   value     = string | list | table | bare word   (a date may have one blank in it)
 */

export interface Statement {
  readonly kind: 'table' | 'list-table' | 'pair';
  readonly keys: readonly string[];
  /** The start of its first line, and the end of its last line including the line ending. */
  readonly start: number;
  readonly end: number;
  /** Set for a pair. */
  readonly value?: string;
}

export class TomlProblem extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const DEEPEST = 64;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BARE_VALUE = /\d{4}-\d\d-\d\d \d\d:[0-9:.Zz+-]+|[A-Za-z0-9_+.:-]+/y;

/** Throws a `TomlProblem`. */
export function scanToml(text: string): readonly Statement[] {
  return new Scanner(text).statements();
}

class Scanner {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  statements(): readonly Statement[] {
    const found: Statement[] = [];
    while (this.#at < this.#text.length) {
      const start = this.#at;
      this.#blanks();
      if (this.#endsLine()) continue;
      const statement = this.#peek() === '[' ? this.#header() : this.#pair();
      this.#blanks();
      if (!this.#endsLine()) throw this.#unexpected('the end of the line');
      found.push({ ...statement, start, end: this.#at });
    }
    return found;
  }

  #header(): Pick<Statement, 'kind' | 'keys'> {
    const isList = this.#text.startsWith('[[', this.#at);
    this.#at += isList ? 2 : 1;
    const keys = this.#keys();
    const close = isList ? ']]' : ']';
    if (!this.#text.startsWith(close, this.#at)) throw this.#unexpected(close);
    this.#at += close.length;
    return { kind: isList ? 'list-table' : 'table', keys };
  }

  #pair(): Pick<Statement, 'kind' | 'keys' | 'value'> {
    const keys = this.#keys();
    if (this.#peek() !== '=') throw this.#unexpected('=');
    this.#at++;
    this.#blanks();
    const start = this.#at;
    this.#value(0);
    return { kind: 'pair', keys, value: this.#text.slice(start, this.#at) };
  }

  #keys(): readonly string[] {
    const keys: string[] = [];
    for (;;) {
      this.#blanks();
      const quoted = this.#quoted();
      const key = quoted ?? this.#take(BARE_KEY);
      if (key === undefined) throw this.#unexpected('a key');
      keys.push(quoted === undefined ? key : unquoted(key));
      this.#blanks();
      if (this.#peek() !== '.') return keys;
      this.#at++;
    }
  }

  #value(depth: number): void {
    if (depth > DEEPEST) throw this.#problem(`more than ${DEEPEST} levels of nesting`);
    const char = this.#peek();
    if (char === '[') this.#list(']', () => this.#value(depth + 1));
    else if (char === '{') this.#list('}', () => this.#member(depth + 1));
    else this.#scalar(char);
  }

  #member(depth: number): void {
    this.#keys();
    if (this.#peek() !== '=') throw this.#unexpected('=');
    this.#at++;
    this.#blanks();
    this.#value(depth);
  }

  #scalar(char: string | undefined): void {
    const found = this.#long() ?? this.#quoted() ?? this.#take(BARE_VALUE);
    if (found !== undefined) return;
    throw char === '"' || char === "'" ? this.#problem('the string is not closed') : this.#unexpected('a value');
  }

  #list(close: string, item: () => void): void {
    const open = this.#at++;
    for (let isFirst = true; ; isFirst = false) {
      this.#gap(open);
      if (this.#peek() === close) break;
      if (!isFirst) {
        if (this.#peek() !== ',') throw this.#unexpected(`, or ${close}`);
        this.#at++;
        this.#gap(open);
        if (this.#peek() === close) break;
      }
      item();
    }
    this.#at++;
  }

  /** Skips blanks, line breaks and comments inside brackets. */
  #gap(open: number): void {
    for (;;) {
      this.#blanks();
      if (this.#at >= this.#text.length) {
        this.#at = open;
        throw this.#problem('the bracket is not closed');
      }
      if (!this.#endsLine()) return;
    }
  }

  #blanks(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at++;
  }

  /** Skips a comment and the end of the line; false if there is other text. */
  #endsLine(): boolean {
    if (this.#peek() === '#') {
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end < 0 ? this.#text.length : end + 1;
      return true;
    }
    if (this.#at >= this.#text.length) return true;
    const length = this.#text.startsWith('\r\n', this.#at) ? 2 : this.#peek() === '\n' ? 1 : 0;
    this.#at += length;
    return length > 0;
  }

  /** A string on one line. */
  #quoted(): string | undefined {
    const quote = this.#peek();
    if (quote !== '"' && quote !== "'") return undefined;
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at]!;
      if (char === quote) return this.#until(at + 1);
      if (char === '\\' && quote === '"') at++;
      if (this.#text[at] === '\n') return undefined;
    }
    return undefined;
  }

  /** A multi-line string; up to two quotes may precede the closing three. */
  #long(): string | undefined {
    const quote = this.#peek();
    const three = `${quote}${quote}${quote}`;
    if ((quote !== '"' && quote !== "'") || !this.#text.startsWith(three, this.#at)) return undefined;
    for (let at = this.#at + 3; at < this.#text.length; at++) {
      if (this.#text[at] === '\\' && quote === '"') at++;
      else if (this.#text.startsWith(three, at)) {
        const more = this.#text[at + 3] === quote ? (this.#text[at + 4] === quote ? 2 : 1) : 0;
        return this.#until(at + 3 + more);
      }
    }
    throw this.#problem('the string is not closed');
  }

  #until(end: number): string {
    const found = this.#text.slice(this.#at, end);
    this.#at = end;
    return found;
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unexpected(wanted: string): TomlProblem {
    const char = this.#peek();
    return this.#problem(
      char === undefined
        ? `expected ${wanted}, found the end of the file`
        : `expected ${wanted}, found ${JSON.stringify(char)}`,
    );
  }

  #problem(message: string): TomlProblem {
    return new TomlProblem(this.#at, message);
  }
}

function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1);
  try {
    return JSON.parse(key.replaceAll('\t', '\\t')) as string;
  } catch {
    return key; // an escape of TOML only: no name that init looks for has one
  }
}
