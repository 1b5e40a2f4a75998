/**
 * The strict scanner. It accepts one pipeline of literal words and nothing else:
 *
 *   pipeline = stage { "|" stage }        stage = word { blank word }
 *   word     = { plain | "'" … "'" | '"' … '"' | "\" character }
 *
 * Everything that a shell would act on is refused with the place of the character that does it. What is accepted stands
 * for itself: no shell reads the text again.
 */
import { KEYWORDS } from './reserved.ts';
import type { Refusal, Scanned, ShellStage, ShellWord } from './refusal.ts';
import { refusalOf } from './scan-refusals.ts';

export const MOST_STAGES = 32;
export const MOST_WORDS = 1_000;

const BLANK = /[ \t\n]/;
/** Characters after which a dollar in double quotes is literal. */
const AFTER_LITERAL_DOLLAR = /[ ".,:;/%)|]/;

class Reader {
  at = 0;
  readonly stages: ShellStage[] = [];
  #words: ShellWord[] = [];
  #count = 0;
  readonly text: string;
  readonly end: number;

  constructor(text: string) {
    this.text = text;
    this.end = text.trimEnd() === '' ? 0 : lastOfText(text);
  }

  read(): Refusal | undefined {
    for (;;) {
      while (this.at < this.end && /[ \t]/.test(this.text[this.at]!)) this.at++;
      if (this.at >= this.end) return this.#endStage(this.end);
      const char = this.text[this.at]!;
      const refused = char === '|' ? this.#pipe() : this.#word();
      if (refused !== undefined) return refused;
    }
  }

  #pipe(): Refusal | undefined {
    const next = this.text[this.at + 1];
    if (next === '|') return refusalOf('chaining', this.text, this.at, 2);
    if (next === '&') return refusalOf('redirection', this.text, this.at, 2);
    if (this.#words.length === 0) return refusalOf('incomplete', this.text, this.at);
    const refused = this.#endStage(this.at);
    this.at++;
    return refused;
  }

  #endStage(end: number): Refusal | undefined {
    const first = this.#words[0];
    if (first === undefined) {
      if (this.stages.length === 0) return refusalOf('empty', this.text, 0, this.text.length);
      return refusalOf('incomplete', this.text, this.text.lastIndexOf('|', end));
    }
    if (this.stages.length === MOST_STAGES) return refusalOf('too-many-stages', this.text, first.span.start);
    this.stages.push({
      words: this.#words,
      span: { start: first.span.start, end: this.#words[this.#words.length - 1]!.span.end },
    });
    this.#words = [];
    return undefined;
  }

  #word(): Refusal | undefined {
    const { text, end } = this;
    const start = this.at;
    const isFirst = this.#words.length === 0;
    let value = '';
    let quoted = false;
    let brace = -1;
    let depth = 0;
    let comma = false;
    for (; this.at < end; this.at++) {
      const at = this.at;
      const char = text[at]!;
      const next = at + 1 < end ? text[at + 1]! : '';
      if (char === ' ' || char === '\t' || char === '|') break;
      switch (char) {
        case "'": {
          const close = text.indexOf("'", at + 1);
          if (close < 0) return refusalOf('unterminated-quote', text, at);
          value += text.slice(at + 1, close);
          quoted = true;
          this.at = close;
          continue;
        }
        case '"': {
          const read = readDoubleQuoted(text, at);
          if (typeof read !== 'string') return read.refusal;
          value += unescapeDoubleQuoted(read);
          quoted = true;
          this.at = at + read.length + 1;
          continue;
        }
        case '\\':
          if (next === '') return refusalOf('incomplete', text, at);
          value += next;
          quoted = true;
          this.at++;
          continue;
        case '$':
          if (next === '' || BLANK.test(next) || next === '|') break;
          return /["']/.test(next) ? refusalOf('ansi-quote', text, at, 2) : dollar(text, at);
        case '`':
          return refusalOf('substitution', text, at);
        case ';':
        case '\n':
          return refusalOf('chaining', text, at);
        case '&':
          if (next === '&') return refusalOf('chaining', text, at, 2);
          return refusalOf(next === '>' ? 'redirection' : 'background', text, at);
        case '<':
        case '>':
          if (next === '(') return refusalOf('substitution', text, at, 2);
          return refusalOf(char === '<' && next === '<' ? 'heredoc' : 'redirection', text, at);
        case '(':
        case ')':
          return refusalOf('grouping', text, at);
        case '*':
        case '?':
          return refusalOf('glob', text, at);
        case '[':
          if (at === start && (next === '' || BLANK.test(next) || next === '|')) break;
          if (isFirst && text.startsWith('[[', start)) return refusalOf('keyword', text, start, 2);
          return refusalOf('glob', text, at);
        case '~':
          if (at > start && !/[=:]/.test(text[at - 1]!)) break;
          return refusalOf('tilde', text, at);
        case '#':
          if (at > start) break;
          return refusalOf('comment', text, at);
        case '{':
          if (brace < 0) brace = at;
          depth++;
          break;
        case '}':
          if (comma) return refusalOf('brace', text, brace, at - brace + 1);
          if (depth > 0) depth--;
          break;
        case ',':
          comma ||= brace >= 0;
          break;
        case '.':
          if (depth > 0 && next === '.') return refusalOf('brace', text, brace, at - brace + 2);
          break;
        case '!':
          if (next === '' || BLANK.test(next) || next === '=' || next === '|') break;
          return refusalOf('history', text, at, 2);
        case '^':
          if (at > 0) break;
          return refusalOf('history', text, at);
        case '%':
          if (!isFirst || at > start) break;
          return refusalOf('builtin', text, at);
        case '=':
          if (!isFirst && at === start && /[A-Za-z_./]/.test(next)) return refusalOf('equals', text, at, 2);
          if (!isFirst) break;
          return refusalOf('assignment', text, start, at - start + 1);
      }
      value += char;
    }
    if (isFirst && !quoted && KEYWORDS.has(value)) return refusalOf('keyword', text, start, value.length);
    if (++this.#count > MOST_WORDS) return refusalOf('too-many-words', text, start);
    this.#words.push({ text: value, span: { start, end: this.at }, quoted });
    return undefined;
  }
}

/** Line ends after the command are ignored. An escaped blank belongs to its word. */
function lastOfText(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return end;
}

/** The raw text between double quotes, or a refusal of the character that a shell would expand there. */
function readDoubleQuoted(text: string, open: number): string | { readonly refusal: Refusal } {
  for (let at = open + 1; at < text.length; at++) {
    const char = text[at]!;
    const next = text[at + 1] ?? '';
    if (char === '"') return text.slice(open + 1, at);
    if (char === '\\') at++;
    else if (char === '`') return { refusal: refusalOf('substitution', text, at) };
    else if (char === '$' && !AFTER_LITERAL_DOLLAR.test(next)) return { refusal: dollar(text, at) };
    else if (char === '!' && !/[\s="(]/.test(next) && next !== '')
      return { refusal: refusalOf('history', text, at, 2) };
  }
  return { refusal: refusalOf('unterminated-quote', text, open) };
}

function dollar(text: string, at: number): Refusal {
  if (text[at + 1] === '(') return refusalOf('substitution', text, at, 2);
  return refusalOf('expansion', text, at, /^\$(?:\w+|\{[^}]*\}|[^])/.exec(text.slice(at))?.[0].length ?? 1);
}

/** Within double quotes, a backslash escapes only `$`, backtick, `"` and itself. */
function unescapeDoubleQuoted(inner: string): string {
  return inner.includes('\\') ? inner.replace(/\\([$`"\\])/g, '$1') : inner;
}

export function scanCommand(text: string): Scanned {
  const reader = new Reader(text);
  const refusal = reader.read();
  return refusal === undefined ? { stages: reader.stages } : { refusal };
}
