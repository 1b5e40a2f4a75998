/** An index of patterns with one or more path components. */
import { foldName } from './fold-name.ts';
import type { ObeyedRow } from './table.ts';

interface Pattern {
  readonly row: ObeyedRow;
  /** From the last component to the first. */
  readonly parents: readonly RegExp[];
}

/** Patterns by their last component; those with a wildcard in it are tried one by one. */
export interface PatternIndex {
  readonly exact: ReadonlyMap<string, readonly Pattern[]>;
  readonly wild: readonly { readonly last: RegExp; readonly pattern: Pattern }[];
  /** Matches if one of the wildcard patterns does. */
  readonly someWild: RegExp;
}

/** The first row with a pattern that ends at this depth of the folded names and that `accepts` allows. */
export function rowAt(
  { exact, wild, someWild }: PatternIndex,
  folded: readonly string[],
  depth: number,
  accepts: (row: ObeyedRow) => boolean,
): ObeyedRow | undefined {
  const last = folded[depth - 1] ?? '';
  const candidates = exact.get(/^git~\d+$/u.test(last) ? '.git' : last) ?? [];
  const fits = ({ parents, row }: Pattern): boolean =>
    parents.every((parent, i) => parent.test(folded[depth - 2 - i] ?? '')) && accepts(row);
  const found = candidates.find(fits)?.row;
  if (found !== undefined || !someWild.test(last)) return found;
  return wild.find((each) => each.last.test(last) && fits(each.pattern))?.pattern.row;
}

export function createPatternIndex(patterns: readonly (readonly [text: string, row: ObeyedRow])[]): PatternIndex {
  const exact = new Map<string, Pattern[]>();
  const wild: { last: RegExp; pattern: Pattern }[] = [];
  for (const [text, row] of patterns) {
    const [last = '', ...parents] = text.split('/').reverse();
    const pattern: Pattern = { row, parents: parents.map(expressionOf) };
    if (last.includes('*')) wild.push({ last: expressionOf(last), pattern });
    else exact.set(foldName(last), [...(exact.get(foldName(last)) ?? []), pattern]);
  }
  const some = wild.map(({ last }) => last.source).join('|');
  return { exact, wild, someWild: new RegExp(some === '' ? '(?!)' : some, 'u') };
}

/** Not `matchesGlob`, because names are folded and all wildcards are combined into one expression. */
function expressionOf(name: string): RegExp {
  const parts = name.split('*').map((part) => part.toLowerCase().replaceAll(/[$()+.?[\\\]^{|}]/gu, '\\$&'));
  return new RegExp(`^${parts.join('[^/]*')}$`, 'u');
}
