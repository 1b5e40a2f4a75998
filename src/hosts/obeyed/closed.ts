/** What file tools do not write because of its name. */
import { matchesGlob } from '../../policy/glob.ts';
import { foldName } from './names.ts';
import { indexOf, rowAt } from './pattern-index.ts';
import { OBEYED, type ClosedRow } from './table.ts';

const closed = indexOf(
  OBEYED.flatMap((row) => (row.closedToTools?.patterns ?? []).map((pattern) => [pattern, row] as const)),
);

/** What closes a path to file tools. */
export interface Closed extends ClosedRow {
  readonly reader: string;
  /** The number of names from the top of the path to the end of what the table names. */
  readonly depth: number;
}

/** Why file tools do not write a path, given by its names; undefined where they do. A row opens nothing that another one closes. */
export function closedToTools(path: readonly string[]): Closed | undefined {
  const folded = path.map(foldName);
  for (let depth = 1; depth <= folded.length; depth++) {
    const row = rowAt(closed, folded, depth, ({ closedToTools: rule }) => !isOpen(rule?.open ?? [], path.slice(depth)));
    if (row?.closedToTools !== undefined) return { ...row.closedToTools, reader: row.reader, depth };
  }
  return undefined;
}

/** Names are compared as they are but for case: what a file system takes for such a name is closed. */
function isOpen(patterns: readonly string[], below: readonly string[]): boolean {
  const path = below.join('/').toLowerCase();
  return patterns.some((pattern) => matchesGlob(pattern.toLowerCase(), path));
}
