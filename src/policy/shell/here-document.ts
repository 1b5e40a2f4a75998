/** Here-documents. The tag is quoted, or the body has nothing that a shell would expand. */
import type { Span } from '../../wire/policy.ts';
import type { Refusal } from './refusal.ts';
import { refusalOf } from './scan-refusals.ts';

const OPENING = /<<(-?)[ \t]*(?:'([\w.-]+)'|"([\w.-]+)"|([A-Za-z_][\w.-]*))(?=[ \t\n|&;<>)]|$)/y;
const LINE_END = /[ \t]*\n/y;

export interface Opening {
  readonly tag: string;
  readonly quoted: boolean;
  /** `<<-`: tabs at the beginning of lines are removed. */
  readonly strips: boolean;
  /** Where the operator begins. */
  readonly start: number;
  /** The index behind the tag. */
  readonly end: number;
}

export interface Body {
  readonly body: string;
  /** Its lines in the text. */
  readonly span: Span;
  /** The index behind the closing tag. */
  readonly end: number;
}

/** The operator and its tag; undefined where the tag has another form. */
export function readOpening(text: string, at: number): Opening | undefined {
  OPENING.lastIndex = at;
  const found = OPENING.exec(text);
  if (found === null) return undefined;
  const tag = found[2] ?? found[3] ?? found[4]!;
  return {
    tag,
    quoted: found[4] === undefined,
    strips: found[1] === '-',
    start: at,
    end: at + found[0].length,
  };
}

/** The lines from `at` up to the tag. */
export function readLines(
  text: string,
  at: number,
  end: number,
  { tag, quoted, strips, start }: Opening,
): Body | { readonly refusal: Refusal } {
  const lines: string[] = [];
  for (let from = at; from < end; ) {
    const newline = text.indexOf('\n', from);
    const stop = newline < 0 || newline > end ? end : newline;
    const raw = text.slice(from, stop);
    const line = strips ? raw.replace(/^\t+/, '') : raw;
    if (line === tag)
      return { body: lines.map((one) => `${one}\n`).join(''), span: { start: at, end: from }, end: stop };
    const expanded = quoted ? -1 : raw.search(/[$`\\]/);
    if (expanded >= 0) return { refusal: refusalOf('heredoc-expansion', text, from + expanded) };
    lines.push(line);
    from = stop + 1;
  }
  return { refusal: refusalOf('heredoc-open', text, start, 2) };
}

/** A whole here-document whose body begins in the next line. */
export function readBody(text: string, at: number, end: number): Body | { readonly refusal: Refusal } | undefined {
  const opening = readOpening(text, at);
  if (opening === undefined) return undefined;
  LINE_END.lastIndex = opening.end;
  const blank = LINE_END.exec(text)?.[0];
  return blank === undefined ? undefined : readLines(text, opening.end + blank.length, end, opening);
}
