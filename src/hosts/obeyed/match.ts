/** Which row of the table a path falls under. */
import { foldName } from './names.ts';
import { OBEYED, type ObeyedClass, type ObeyedRow } from './table.ts';

/** What obeys a path. */
export interface Obeyed {
  readonly class: ObeyedClass;
  readonly reader: string;
  readonly row: ObeyedRow;
  /** The number of names from the top of the path to the end of what the table names. */
  readonly depth: number;
}

interface Pattern {
  readonly row: ObeyedRow;
  /** From the last name to the first. */
  readonly parents: readonly RegExp[];
}

/** Patterns by their last name; those with wildcards in it are tried one by one. */
interface Index {
  readonly exact: ReadonlyMap<string, readonly Pattern[]>;
  readonly wild: readonly { readonly last: RegExp; readonly pattern: Pattern }[];
  /** Matches where one of the wildcards does. */
  readonly someWild: RegExp;
}

const all = indexOf(OBEYED.flatMap((row) => row.patterns.map((pattern) => [pattern, row] as const)));
const foldersOnTheWay = indexOf(
  OBEYED.flatMap((row) =>
    row.patterns.flatMap((pattern) => {
      const names = pattern.split('/');
      return names.slice(1).map((_, i) => [names.slice(0, i + 1).join('/'), row] as const);
    }),
  ),
);
const refused = indexOf(
  OBEYED.flatMap((row) => (row.refusedToTools?.patterns ?? []).map((pattern) => [pattern, row] as const)),
);

/** Names that other files of their folder depend on. */
export const BESIDE_NAMES: ReadonlySet<string> = new Set(OBEYED.flatMap(({ beside = [] }) => beside.map(foldName)));

/** The row for a path, given by its names from the workspace down; `beside` says whether a folder has one of these names. */
export function obeyedAt(
  path: readonly string[],
  beside: (folder: readonly string[], names: readonly string[]) => boolean = () => false,
): Obeyed | undefined {
  const folded = path.map(foldName);
  for (let depth = 1; depth <= folded.length; depth++) {
    const row = rowAt(all, folded, depth, ({ beside: needed }) => {
      return needed === undefined || beside(path.slice(0, depth - 1), needed);
    });
    if (row !== undefined) return { class: row.class, reader: row.reader, row, depth };
  }
  return undefined;
}

/** The row for the last of these folded names; `siblings` are the folded names of its folder. */
export function obeyedByName(folded: readonly string[], siblings: ReadonlySet<string>): ObeyedRow | undefined {
  return rowAt(
    all,
    folded,
    folded.length,
    ({ beside }) => beside === undefined || beside.some((name) => siblings.has(name)),
  );
}

/** The row that a link with these folded names decides for: it stands where a pattern has a folder, so that its target is obeyed. */
export function obeyedThroughLink(folded: readonly string[]): ObeyedRow | undefined {
  return rowAt(foldersOnTheWay, folded, folded.length, () => true);
}

/** Why file tools do not write a path, given by its names; undefined where they do. */
export function refusedToTools(path: readonly string[]): 'config' | 'client' | undefined {
  return rowAt(refused, path.map(foldName), path.length, () => true)?.refusedToTools?.as;
}

/** Whether some file system takes this name for `.git`; NTFS has short names for it. */
export function isGitName(name: string): boolean {
  if (!/[.~]/u.test(name)) return false;
  const folded = foldName(name);
  return folded === '.git' || /^git~\d+$/u.test(folded);
}

function rowAt(
  { exact, wild, someWild }: Index,
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

function indexOf(patterns: readonly (readonly [text: string, row: ObeyedRow])[]): Index {
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

function expressionOf(name: string): RegExp {
  const parts = name.split('*').map((part) => part.toLowerCase().replaceAll(/[$()+.?[\\\]^{|}]/gu, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'u');
}
