/** Finds the row of a path among patterns of one or more names. */
import { foldName } from './names.ts';
import type { ObeyedRow } from './table.ts';

interface Pattern {
  readonly row: ObeyedRow;
  /** From the last name to the first. */
  readonly parents: readonly RegExp[];
}

/** Patterns of rows by their last name; those with wildcards in it are tried one by one. */
export interface PatternIndex {
  readonly exact: ReadonlyMap<string, readonly Pattern[]>;
  readonly wild: readonly { readonly last: RegExp; readonly pattern: Pattern }[];
  /** Matches where one of the wildcards does. */
  readonly someWild: RegExp;
}

/** The first row with a pattern that ends at this depth of the folded names, and that is meant. */
export function rowAt(
  { exact, wild, someWild }: PatternIndex,
  folded: readonly string[],
  depth: number,
  isMeant: (row: ObeyedRow) => boolean,
): ObeyedRow | undefined {
  const last = folded[depth - 1] ?? '';
  const candidates = exact.get(/^git~\d+$/u.test(last) ? '.git' : last) ?? [];
  const fits = ({ parents, row }: Pattern): boolean =>
    parents.every((parent, i) => parent.test(folded[depth - 2 - i] ?? '')) && isMeant(row);
  const found = candidates.find(fits)?.row;
  if (found !== undefined || !someWild.test(last)) return found;
  return wild.find((each) => each.last.test(last) && fits(each.pattern))?.pattern.row;
}

/** Prepares patterns for `rowAt`. */
export function indexOf(patterns: readonly (readonly [text: string, row: ObeyedRow])[]): PatternIndex {
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

/** Names are folded, and all wildcards are tried in one expression: so it is not `matchesGlob`. */
function expressionOf(name: string): RegExp {
  const parts = name.split('*').map((part) => part.toLowerCase().replaceAll(/[$()+.?[\\\]^{|}]/gu, '\\$&'));
  return new RegExp(`^${parts.join('[^/]*')}$`, 'u');
}
