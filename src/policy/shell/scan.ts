/**
 * The strict scanner. It accepts one pipeline of literal words and nothing else:
 *
 *   pipeline = stage { "|" stage }        stage = word { blank word }        word: `read-word.ts`
 *
 * Everything that a shell would act on is refused with the place of the character that does it. What is accepted stands
 * for itself: no shell reads the text again.
 */
import { isRefusal, readWord } from './read-word.ts';
import { KEYWORDS } from './reserved.ts';
import type { Refusal, Scanned, ShellStage, ShellWord } from './refusal.ts';
import { refusalOf } from './scan-refusals.ts';

export const MOST_STAGES = 32;
export const MOST_WORDS = 1_000;

class Reader {
  at = 0;
  readonly stages: ShellStage[] = [];
  #words: ShellWord[] = [];
  #count = 0;
  readonly text: string;
  readonly end: number;

  constructor(text: string) {
    this.text = text;
    this.end = endOfText(text);
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
    const isFirst = this.#words.length === 0;
    const word = readWord(this.text, this.at, this.end, { isFirst, expands: false });
    if (isRefusal(word)) return word;
    this.at = word.span.end;
    const operator = refusedOperator(this.text, this.at, this.end);
    if (operator !== undefined) return operator;
    const { text, quoted, span } = word;
    if (isFirst && !quoted && KEYWORDS.has(text)) return refusalOf('keyword', this.text, span.start, text.length);
    if (++this.#count > MOST_WORDS) return refusalOf('too-many-words', this.text, span.start);
    this.#words.push(word);
    return undefined;
  }
}

/** The operator other than `|` that ends a word. */
export function refusedOperator(text: string, at: number, end: number): Refusal | undefined {
  const next = at + 1 < end ? text[at + 1]! : '';
  switch (at < end ? text[at]! : '') {
    case ';':
    case '\n':
      return refusalOf('chaining', text, at);
    case '&':
      if (next === '&') return refusalOf('chaining', text, at, 2);
      return refusalOf(next === '>' ? 'redirection' : 'background', text, at);
    case '<':
    case '>':
      if (next === '(') return refusalOf('substitution', text, at, 2);
      return refusalOf(text[at] === '<' && next === '<' ? 'heredoc' : 'redirection', text, at);
    case '(':
    case ')':
      return refusalOf('grouping', text, at);
  }
  return undefined;
}

/** Line ends after the command are ignored. An escaped blank belongs to its word. */
export function endOfText(text: string): number {
  if (text.trimEnd() === '') return 0;
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return end;
}

export function scanCommand(text: string): Scanned {
  const reader = new Reader(text);
  const refusal = reader.read();
  return refusal === undefined ? { stages: reader.stages } : { refusal };
}
