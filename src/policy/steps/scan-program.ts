/**
 * The strict scanner of compound commands:
 *
 *   program  = andor { (";" | newline) andor }            comment = "#" … at the start of a word
 *   andor    = pipeline { ("&&" | "||") pipeline }        pipeline = ["!"] command { ("|" | "|&") command }
 *   command  = { NAME=word } word { word | redirect } | NAME=word
 *   redirect = [1|2] (">" | ">>") word | "&>" word | "<" word | [1|2] ">&" (1|2) | "<<" ["-"] tag | "<<<" word
 *
 * All else is refused with the place of the character.
 */
import type { Span } from '../../wire/policy.ts';
import { type Opening, readLines, readOpening } from '../shell/here-document.ts';
import { isRefusal, readWord } from '../shell/read-word.ts';
import type { Refusal, ShellWord } from '../shell/refusal.ts';
import { KEYWORDS } from '../shell/reserved.ts';
import { endOfText, MOST_WORDS, refusedOperator } from '../shell/scan.ts';
import { refusalOf } from '../shell/scan-refusals.ts';
import type { ShellCommand, ShellPipeline, ShellProgram, ShellRedirect } from './tree.ts';

export const MOST_COMMANDS = 64;

const OUTPUT = /&>(?![>&])|>>(?![&|])|>&(?=[12](?:[ \t\n|&;<>()]|$))|>(?![>&|(])/y;
const INPUT = /<<<(?!<)|<(?![<>&(])/y;
const BLANKS = /[ \t]*/y;

interface Pending {
  readonly opening: Opening;
  /** Where the body is stored. */
  readonly redirects: ShellRedirect[];
  readonly index: number;
}

export type ScannedProgram =
  | {
      readonly program: ShellProgram;
      /** The lines of here-documents. */
      readonly bodies: readonly Span[];
      readonly refusal?: undefined;
    }
  | { readonly program?: undefined; readonly refusal: Refusal };

export function scanProgram(text: string): ScannedProgram {
  const scanner = new ProgramScanner(text);
  const refusal = scanner.read();
  return refusal === undefined ? { program: scanner.program, bodies: scanner.bodies } : { refusal };
}

/** The lines of the here-documents of a compound command. */
export function bodiesIn(text: string): readonly Span[] {
  const scanned = text.includes('<<') ? scanProgram(text) : undefined;
  return scanned?.program === undefined ? [] : scanned.bodies;
}

class ProgramScanner {
  readonly program: ShellPipeline[] = [];
  readonly bodies: Span[] = [];
  readonly #text: string;
  readonly #end: number;
  #at = 0;
  #when: ShellPipeline['when'] = 'always';
  /** The operator that requires a command after it. */
  #required: Span | undefined;
  /** The start of the pipeline. */
  #from = 0;
  #isNegated = false;
  #commands: ShellCommand[] = [];
  #operators: ('|' | '|&')[] = [];
  #assignments: ShellWord[] = [];
  #words: ShellWord[] = [];
  #redirects: ShellRedirect[] = [];
  #pending: Pending[] = [];
  #allWords = 0;
  #allCommands = 0;

  constructor(text: string) {
    this.#text = text;
    this.#end = endOfText(text);
  }

  read(): Refusal | undefined {
    while (this.#at < this.#end) {
      const refused = this.#next();
      if (refused !== undefined) return refused;
    }
    const [open] = this.#pending;
    if (open !== undefined) return refusalOf('heredoc-open', this.#text, open.opening.start, 2);
    const refused = this.#endPipeline('always');
    if (refused !== undefined) return refused;
    if (this.#required !== undefined) return this.#incomplete(this.#required);
    return this.program.length === 0 ? refusalOf('empty', this.#text, 0, this.#text.length) : undefined;
  }

  #next(): Refusal | undefined {
    const text = this.#text;
    const at = this.#at;
    const next = text[at + 1];
    switch (text[at]!) {
      case ' ':
      case '\t':
        this.#at++;
        return undefined;
      case '#': {
        const newline = text.indexOf('\n', at);
        this.#at = newline < 0 ? this.#end : newline;
        return undefined;
      }
      case '\n':
        return this.#newline();
      case ';':
        if (next === ';' || next === '&') return refusalOf('control-flow', text, at, 2);
        if (!this.#isBegun()) return refusalOf('incomplete', text, at);
        this.#at++;
        return this.#endPipeline('always');
      case '&':
        if (next === '&') return this.#operator('ok');
        return next === '>' ? this.#redirect(undefined) : refusalOf('background', text, at);
      case '|':
        return next === '|' ? this.#operator('failed') : this.#pipe(next === '&' ? '|&' : '|');
      case '<':
      case '>':
        return this.#redirect(undefined);
      case '(':
      case ')':
        return refusalOf('grouping', text, at);
      default:
        return this.#word();
    }
  }

  #isBegun(): boolean {
    return this.#commands.length + this.#words.length + this.#assignments.length > 0 || this.#isNegated;
  }

  #newline(): Refusal | undefined {
    this.#at++;
    for (const { opening, redirects, index } of this.#pending) {
      const read = readLines(this.#text, this.#at, this.#text.length, opening);
      if ('refusal' in read) return read.refusal;
      this.bodies.push(read.span);
      redirects[index] = { ...redirects[index]!, body: read.body };
      this.#at = Math.min(read.end + 1, this.#text.length);
    }
    this.#pending = [];
    const isOpen = this.#words.length + this.#assignments.length === 0 && this.#required !== undefined;
    return isOpen ? undefined : this.#endPipeline('always');
  }

  /** `&&` or `||` */
  #operator(when: ShellPipeline['when']): Refusal | undefined {
    const at = this.#at;
    if (!this.#isBegun()) return refusalOf('incomplete', this.#text, at, 2);
    const refused = this.#endPipeline(when);
    this.#required = { start: at, end: at + 2 };
    this.#at = at + 2;
    return refused;
  }

  #pipe(operator: '|' | '|&'): Refusal | undefined {
    const at = this.#at;
    const refused = this.#endCommand(at);
    if (refused !== undefined) return refused;
    this.#operators.push(operator);
    this.#required = { start: at, end: at + operator.length };
    this.#at = at + operator.length;
    return undefined;
  }

  /** Ends the pipeline, and with it a missing command; `when` is that of the next one. */
  #endPipeline(when: ShellPipeline['when']): Refusal | undefined {
    if (!this.#isBegun()) return undefined;
    const refused = this.#endCommand(this.#at);
    if (refused !== undefined) return refused;
    const end = this.#commands[this.#commands.length - 1]!.span.end;
    this.program.push({
      when: this.#when,
      isNegated: this.#isNegated,
      commands: this.#commands,
      operators: this.#operators,
      span: { start: this.#from, end },
    });
    this.#commands = [];
    this.#operators = [];
    this.#isNegated = false;
    this.#when = when;
    return undefined;
  }

  #incomplete({ start, end }: Span): Refusal {
    return refusalOf('incomplete', this.#text, start, end - start);
  }

  #endCommand(at: number): Refusal | undefined {
    const all = [...this.#assignments, ...this.#words, ...this.#redirects];
    if (this.#assignments.length + this.#words.length === 0) {
      const place = Math.min(at, Math.max(0, this.#end - 1));
      return this.#incomplete(this.#required ?? { start: place, end: place + 1 });
    }
    const start = Math.min(...all.map(({ span }) => span.start));
    if (++this.#allCommands > MOST_COMMANDS) return refusalOf('too-many-stages', this.#text, start);
    this.#commands.push({
      assignments: this.#assignments,
      words: this.#words,
      redirects: this.#redirects,
      span: { start, end: Math.max(...all.map(({ span }) => span.end)) },
    });
    this.#assignments = [];
    this.#words = [];
    this.#redirects = [];
    this.#required = undefined;
    return undefined;
  }

  #word(): Refusal | undefined {
    const text = this.#text;
    const isFirst = this.#words.length === 0;
    const word = readWord(text, this.#at, this.#end, { isFirst, expands: true });
    if (isRefusal(word)) return word;
    const { start, end } = word.span;
    const isStart = isFirst && this.#assignments.length + this.#commands.length === 0;
    if (/[<>]/.test(text[end] ?? '') && /^\d+$/.test(word.text) && !word.quoted && end < this.#end) {
      this.#at = end;
      return this.#redirect(word);
    }
    // `{name}>` stores a descriptor.
    const isDescriptor = /[<>]/.test(text[end] ?? '') && /^\{\w+\}$/.test(word.text) && !word.quoted;
    if ((text[end] === '(' && end < this.#end) || isDescriptor) return refusedOperator(text, end, this.#end);
    if (isStart && !this.#isNegated) this.#from = start;
    if (isStart && !this.#isNegated && word.text === '!' && !word.quoted) {
      this.#isNegated = true;
      this.#required = { start, end };
      this.#at = end;
      return undefined;
    }
    if (isFirst && !word.quoted && KEYWORDS.has(word.text)) return refusalOf('keyword', text, start, word.text.length);
    const refused = this.#count(word);
    if (refused !== undefined) return refused;
    (word.assigns === undefined ? this.#words : this.#assignments).push(word);
    this.#at = end;
    return undefined;
  }

  #count({ parts, span }: ShellWord): Refusal | undefined {
    const inside = parts.flatMap((part) => (part.kind === 'body' ? [part.span] : []));
    // Shells disagree about which of the two bodies comes first.
    if (inside.length > 0 && this.#pending.length > 0)
      return refusalOf('heredoc', this.#text, span.start, span.end - span.start);
    this.bodies.push(...inside);
    return ++this.#allWords > MOST_WORDS ? refusalOf('too-many-words', this.#text, span.start) : undefined;
  }

  /** A redirection behind the first word. A number directly before it is a descriptor. */
  #redirect(descriptor: ShellWord | undefined): Refusal | undefined {
    const text = this.#text;
    const at = this.#at;
    const start = descriptor?.span.start ?? at;
    const refused = (): Refusal => refusedOperator(text, at, this.#end) ?? refusalOf('redirection', text, at);
    if (this.#words.length === 0) return refused();
    if (descriptor !== undefined && !/^[12]$/.test(descriptor.text))
      return refusalOf('descriptor', text, start, descriptor.text.length);
    const opening = descriptor === undefined ? readOpening(text, at) : undefined;
    if (opening !== undefined) {
      this.#pending.push({ opening, redirects: this.#redirects, index: this.#redirects.length });
      const operator = opening.strips ? '<<-' : '<<';
      this.#redirects.push({ operator, span: { start, end: opening.end } });
      this.#at = opening.end;
      return undefined;
    }
    const output = take(OUTPUT, text, at);
    const operator = output ?? (descriptor === undefined ? take(INPUT, text, at) : undefined);
    if (operator === undefined || (operator === '&>' && descriptor !== undefined)) return refused();
    const from = at + operator.length + (take(BLANKS, text, at + operator.length) ?? '').length;
    if (/^[<>]\(/.test(text.slice(from, from + 2))) return refusedOperator(text, from, this.#end);
    if (from >= this.#end || /[\n|&;<>()]/.test(text[from]!)) return refusalOf('incomplete', text, at, operator.length);
    const target = readWord(text, from, this.#end, { isFirst: false, expands: true });
    if (isRefusal(target)) return target;
    const excess = this.#count(target);
    if (excess !== undefined) return excess;
    this.#at = target.span.end;
    if (text[this.#at] === '(' && this.#at < this.#end) return refusedOperator(text, this.#at, this.#end);
    this.#redirects.push({
      operator: operator as ShellRedirect['operator'],
      ...(descriptor === undefined ? {} : { descriptor: Number(descriptor.text) }),
      target,
      span: { start, end: target.span.end },
    });
    return undefined;
  }
}

function take(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
