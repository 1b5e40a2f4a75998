/** Finds the row of the table for a path. */
import { foldName } from './fold-name.ts';
import { createPatternIndex, rowAt } from './pattern-index.ts';
import { OBEYED, type ObeyedClass, type ObeyedRow } from './table.ts';

export interface Obeyed {
  readonly class: ObeyedClass;
  readonly reader: string;
  readonly row: ObeyedRow;
  /** The number of path components up to the end of the matched pattern. */
  readonly depth: number;
}

const all = createPatternIndex(OBEYED.flatMap((row) => row.patterns.map((pattern) => [pattern, row] as const)));
const parentFolders = createPatternIndex(
  OBEYED.flatMap((row) =>
    row.patterns.flatMap((pattern) => {
      const names = pattern.split('/');
      return names.slice(1).map((_, i) => [names.slice(0, i + 1).join('/'), row] as const);
    }),
  ),
);
const naming = createPatternIndex(
  OBEYED.flatMap((row) => {
    const { namesFiles } = row;
    return namesFiles === undefined || namesFiles === true ? [] : namesFiles.map((pattern) => [pattern, row] as const);
  }),
);

/** Names that must exist for a sibling to be obeyed. */
export const BESIDE_NAMES: ReadonlySet<string> = new Set(OBEYED.flatMap(({ beside = [] }) => beside.map(foldName)));

/** The row for a path, given as components relative to the workspace; `beside` checks whether a folder has one of the names. */
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

/** The row for a symlink in place of a parent folder of a pattern: its target is obeyed. */
export function obeyedThroughLink(folded: readonly string[]): ObeyedRow | undefined {
  return rowAt(parentFolders, folded, folded.length, () => true);
}

/** Whether a file, given as path components, may name scripts. */
export function namesScripts(row: Pick<ObeyedRow, 'namesFiles'>, path: readonly string[]): boolean {
  return row.namesFiles === true || rowAt(naming, path.map(foldName), path.length, () => true) !== undefined;
}

/** Whether some file system treats this name as `.git`; NTFS has short names for it. */
export function isGitName(name: string): boolean {
  if (!/[.~]/u.test(name)) return false;
  const folded = foldName(name);
  return folded === '.git' || /^git~\d+$/u.test(folded);
}
