/** Paths that file tools do not write because of their names. */
import { matchesGlob } from '../../policy/glob.ts';
import { foldName } from './fold-name.ts';
import { createPatternIndex, rowAt } from './pattern-index.ts';
import { OBEYED, type ClosedRow } from './table.ts';

const closed = createPatternIndex(
  OBEYED.flatMap((row) => (row.closedToTools?.patterns ?? []).map((pattern) => [pattern, row] as const)),
);

export interface ClosedPath extends ClosedRow {
  readonly reader: string;
  /** The number of path components up to the end of the matched pattern. */
  readonly depth: number;
}

/** Why file tools do not write a path, given as components; undefined where they do. A row cannot open what another row closes. */
export function closedToTools(path: readonly string[]): ClosedPath | undefined {
  const folded = path.map(foldName);
  for (let depth = 1; depth <= folded.length; depth++) {
    const row = rowAt(closed, folded, depth, ({ closedToTools: rule }) => !isOpen(rule?.open ?? [], path.slice(depth)));
    if (row?.closedToTools !== undefined) return { ...row.closedToTools, reader: row.reader, depth };
  }
  return undefined;
}

/** Compares without folding, except for case: a name that a file system only treats as equal stays closed. */
function isOpen(patterns: readonly string[], below: readonly string[]): boolean {
  const path = below.join('/').toLowerCase();
  return patterns.some((pattern) => matchesGlob(pattern.toLowerCase(), path));
}
