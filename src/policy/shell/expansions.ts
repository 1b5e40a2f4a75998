/** The expansions that a compound command may have: variables, `$(cat <<'TAG' … TAG)` in double quotes, and `[abc]`. */
import { readBody } from './here-document.ts';
import type { Refusal, ShellPart } from './refusal.ts';

const VARIABLE = /\$(?:\?|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;
const TEXT_OF_DOCUMENT = /\$\([ \t]*cat[ \t]*(?=<<)/y;
const CLOSED = /[ \t\n]*\)/y;
/** Single characters and ranges of one alphabet: their order is the same everywhere. */
const SET = /\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\w)+\]/y;

export type ReadPart = { readonly part: ShellPart; readonly end: number } | { readonly refusal: Refusal };

/** What a dollar begins; undefined where it is something else. */
export function readDollar(text: string, at: number, end: number, quoted: boolean): ReadPart | undefined {
  const variable = matchAt(VARIABLE, text, at);
  if (variable !== undefined) {
    const stop = at + variable[0].length;
    const name = variable[1] ?? variable[2] ?? '?';
    return { part: { kind: 'variable', name, quoted, span: { start: at, end: stop } }, end: stop };
  }
  const document = quoted ? matchAt(TEXT_OF_DOCUMENT, text, at)?.[0] : undefined;
  if (document === undefined) return undefined;
  const read = readBody(text, at + document.length, end);
  if (read === undefined || 'refusal' in read) return read;
  const closed = matchAt(CLOSED, text, read.end)?.[0];
  if (closed === undefined) return undefined;
  return {
    part: { kind: 'body', text: read.body.replace(/\n+$/, ''), span: read.span },
    end: read.end + closed.length,
  };
}

/** `[abc]` at a place; undefined where it is not closed or has other members. */
export function readPattern(text: string, at: number): string | undefined {
  const set = matchAt(SET, text, at)?.[0];
  return set !== undefined && isOrdered(set) ? set : undefined;
}

function isOrdered(set: string): boolean {
  return (set.match(/.-./g) ?? []).every((range) => range[0]! <= range[2]!);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
