/**
 * Reads one word: `{ plain | "'" … "'" | '"' … '"' | "\" character }`. Everything that a shell would act on is refused with the
 * place of the character that does it. In a compound command, the word may also have the expansions of `expansions.ts`.
 */
import { readDollar, readPattern } from './expansions.ts';
import type { Refusal, ShellPart, ShellWord } from './refusal.ts';
import { refusalOf } from './scan-refusals.ts';

const BLANK = /[ \t\n]/;
/** Characters that end a word. */
const END = /[ \t\n|&;<>()]/;
/** Characters after which a dollar in double quotes is literal. */
const AFTER_LITERAL_DOLLAR = /[ ".,:;/%)|]/;
const PLAIN = /[\w\-./,:@+%]/;

export interface WordPlace {
  /** It could be the name of a command. */
  readonly isFirst: boolean;
  /** It is in a compound command. */
  readonly expands: boolean;
}

/** The word at a place, or why it is refused. It ends before a blank, an operator, or `end`. */
export function readWord(text: string, start: number, end: number, place: WordPlace): ShellWord | Refusal {
  const word = new Word(text, start, end, place);
  const refused = word.read();
  return refused ?? word.result();
}

export function isRefusal(read: ShellWord | Refusal): read is Refusal {
  return 'code' in read;
}

class Word {
  at: number;
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  readonly #place: WordPlace;
  readonly #parts: ShellPart[] = [];
  /** Text that is not yet in a part. */
  #value = '';
  #quoted = false;
  #assigns: number | undefined;
  #brace = -1;
  #depth = 0;
  #comma = false;

  constructor(text: string, start: number, end: number, place: WordPlace) {
    this.#text = text;
    this.at = start;
    this.#start = start;
    this.#end = end;
    this.#place = place;
  }

  result(): ShellWord {
    this.#push(undefined);
    const [only] = this.#parts;
    return {
      text: only === undefined ? '' : this.#parts.map((part) => ('text' in part ? part.text : '')).join(''),
      parts: this.#parts,
      span: { start: this.#start, end: this.at },
      quoted: this.#quoted,
      ...(this.#assigns === undefined ? {} : { assigns: this.#assigns }),
    };
  }

  read(): Refusal | undefined {
    for (; this.at < this.#end; this.at++) {
      const char = this.#text[this.at]!;
      if (PLAIN.test(char) && this.#brace < 0 && this.at > this.#start) {
        this.#value += char;
        continue;
      }
      if (END.test(char)) break;
      const refused = this.#character(char);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  #push(part: ShellPart | undefined): void {
    if (this.#value !== '') this.#parts.push({ kind: 'text', text: this.#value });
    this.#value = '';
    if (part !== undefined) this.#parts.push(part);
  }

  #character(char: string): Refusal | undefined {
    const { at } = this;
    const text = this.#text;
    const start = this.#start;
    const { isFirst, expands } = this.#place;
    const next = at + 1 < this.#end ? text[at + 1]! : '';
    switch (char) {
      case "'": {
        const close = text.indexOf("'", at + 1);
        if (close < 0) return refusalOf('unterminated-quote', text, at);
        this.#value += text.slice(at + 1, close);
        this.#quoted = true;
        this.at = close;
        return undefined;
      }
      case '"':
        return this.#doubleQuoted();
      case '\\':
        if (next === '') return refusalOf('incomplete', text, at);
        this.#value += next;
        this.#quoted = true;
        this.at++;
        return undefined;
      case '$':
        if (next === '' || BLANK.test(next) || next === '|') break;
        if (/["']/.test(next)) return refusalOf('ansi-quote', text, at, 2);
        return expands ? this.#dollar(false) : dollar(text, at);
      case '`':
        return refusalOf('substitution', text, at);
      case '*':
      case '?':
        return this.#pattern(char);
      case '[':
        if (at === start && (next === '' || BLANK.test(next) || next === '|')) break;
        if (isFirst && text.startsWith('[[', start)) return refusalOf('keyword', text, start, 2);
        return this.#pattern(readPattern(text, at));
      case '~':
        if (at > start && !/[=:]/.test(text[at - 1]!)) break;
        if (!expands || !this.#isStart() || !(next === '' || next === '/' || END.test(next)))
          return refusalOf('tilde', text, at);
        this.#push({ kind: 'home', span: { start: at, end: at + 1 } });
        return undefined;
      case '#':
        if (at > start) break;
        return refusalOf('comment', text, at);
      case '{':
        if (this.#brace < 0) this.#brace = at;
        this.#depth++;
        break;
      case '}':
        if (this.#comma) return refusalOf('brace', text, this.#brace, at - this.#brace + 1);
        if (this.#depth > 0) this.#depth--;
        break;
      case ',':
        this.#comma ||= this.#brace >= 0;
        break;
      case '.':
        if (this.#depth > 0 && next === '.') return refusalOf('brace', text, this.#brace, at - this.#brace + 2);
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
        return this.#equals(next);
    }
    this.#value += char;
    return undefined;
  }

  /** Whether this is the beginning of the word or of the value that it assigns. */
  #isStart(): boolean {
    return this.at === this.#start || (this.#assigns !== undefined && this.at === this.#start + this.#assigns + 1);
  }

  #equals(next: string): Refusal | undefined {
    const { at } = this;
    const { isFirst, expands } = this.#place;
    const start = this.#start;
    if (!isFirst && at === start && /[A-Za-z_./]/.test(next)) return refusalOf('equals', this.#text, at, 2);
    if (isFirst && this.#assigns === undefined) {
      if (!expands || !/^[A-Za-z_]\w*$/.test(this.#text.slice(start, at)))
        return refusalOf('assignment', this.#text, start, at - start + 1);
      this.#assigns = at - start;
    }
    this.#value += '=';
    return undefined;
  }

  #pattern(pattern: string | undefined): Refusal | undefined {
    const { isFirst, expands } = this.#place;
    if (!expands || isFirst || pattern === undefined) return refusalOf('glob', this.#text, this.at);
    this.#push({ kind: 'glob', text: pattern });
    this.at += pattern.length - 1;
    return undefined;
  }

  /** A variable, or the text of a here-document. */
  #dollar(quoted: boolean): Refusal | undefined {
    const { at } = this;
    const read = readDollar(this.#text, at, this.#end, quoted);
    if (read === undefined) return dollar(this.#text, at);
    if ('refusal' in read) return read.refusal;
    this.#push(read.part);
    this.at = read.end - 1;
    return undefined;
  }

  #doubleQuoted(): Refusal | undefined {
    const text = this.#text;
    const open = this.at;
    this.#quoted = true;
    for (this.at++; this.at < text.length; this.at++) {
      const { at } = this;
      const char = text[at]!;
      const next = text[at + 1] ?? '';
      if (char === '"') return undefined;
      if (char === '\\') {
        // Within double quotes, a backslash escapes only `$`, backtick, `"` and itself.
        this.#value += /[$`"\\]/.test(next) ? next : char + next;
        this.at++;
      } else if (char === '`') return refusalOf('substitution', text, at);
      else if (char === '$' && !AFTER_LITERAL_DOLLAR.test(next)) {
        const refused = this.#place.expands ? this.#dollar(true) : dollar(text, at);
        if (refused !== undefined) return refused;
      } else if (char === '!' && !/[\s="(]/.test(next) && next !== '') return refusalOf('history', text, at, 2);
      else this.#value += char;
    }
    return refusalOf('unterminated-quote', text, open);
  }
}

function dollar(text: string, at: number): Refusal {
  if (text[at + 1] === '(') return refusalOf('substitution', text, at, 2);
  return refusalOf('expansion', text, at, /^\$(?:\w+|\{[^}]*\}|[^])/.exec(text.slice(at))?.[0].length ?? 1);
}
