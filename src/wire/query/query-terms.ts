/**
 * The words of a search: `agent:main -event:denied "git push"`. A term is a word, or a field with a value; `-` before it means "not".
 * A value with spaces is written in double quotes, with `\"` and `\\` inside of them.
 */
import type { Span } from '../policy.ts';

export interface QueryTerm {
  /** Undefined for a word. */
  readonly field: string | undefined;
  readonly value: string;
  readonly isNot: boolean;
  /** In UTF-16 units. */
  readonly at: Span;
  /** The place of the value, with its quotes. */
  readonly valueAt: Span;
}

/** Why a text is not a query, and where. */
export interface QueryProblem {
  readonly message: string;
  readonly at: Span;
}

export const LONGEST_QUERY = 2_000;
const MOST_TERMS = 50;
const FIELD = /^([A-Za-z]+):/u;
const isSpace = (char: string | undefined): boolean => char === undefined || /\s/u.test(char);

export function queryTerms(text: string): readonly QueryTerm[] | QueryProblem {
  if (text.length > LONGEST_QUERY)
    return problem(`a query has at most ${LONGEST_QUERY} characters`, LONGEST_QUERY, text.length);
  const control = text.search(/[^\P{Cc}\t\n\r]/u);
  if (control >= 0) return problem('a query has no control characters', control, control + 1);
  const terms: QueryTerm[] = [];
  for (let at = 0; ; ) {
    while (at < text.length && isSpace(text[at])) at++;
    if (at >= text.length) return terms;
    if (terms.length === MOST_TERMS) return problem(`a query has at most ${MOST_TERMS} terms`, at, text.length);
    const term = termAt(text, at);
    if ('message' in term) return term;
    terms.push(term);
    at = term.at.end;
  }
}

export function isProblem(read: unknown): read is QueryProblem {
  return typeof read === 'object' && read !== null && 'message' in read;
}

function termAt(text: string, start: number): QueryTerm | QueryProblem {
  const isNot = text[start] === '-';
  const named = FIELD.exec(text.slice(start + (isNot ? 1 : 0)))?.[1];
  const field = named?.toLowerCase();
  const from = start + (isNot ? 1 : 0) + (named === undefined ? 0 : named.length + 1);
  const value = text[from] === '"' ? quotedAt(text, from) : bareAt(text, from);
  if ('message' in value) return value;
  if (value.text === '') {
    const what =
      named === undefined ? (isNot ? '- needs a term after it' : 'a word is empty') : `${named}: has no value`;
    return problem(what, start, Math.max(value.end, start + 1));
  }
  const at = { start, end: value.end };
  return { field, value: value.text, isNot, at, valueAt: { start: from, end: value.end } };
}

interface ReadValue {
  readonly text: string;
  readonly end: number;
}

function bareAt(text: string, from: number): ReadValue | QueryProblem {
  let end = from;
  while (!isSpace(text[end])) {
    if (text[end] === '"') return problem('a quote begins inside of a word; quote the whole word', end, end + 1);
    end++;
  }
  return { text: text.slice(from, end), end };
}

function quotedAt(text: string, from: number): ReadValue | QueryProblem {
  let value = '';
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      const end = at + 1;
      return isSpace(text[end]) ? { text: value, end } : problem('a space must follow the quote', end, end + 1);
    }
    if (char === '\\') {
      const next = text[++at];
      if (next !== '"' && next !== '\\') return problem('only \\" and \\\\ are known', at - 1, at + 1);
      value += next;
    } else value += char;
  }
  return problem('the quote has no end', from, text.length);
}

function problem(message: string, start: number, end: number): QueryProblem {
  return { message, at: { start, end } };
}
