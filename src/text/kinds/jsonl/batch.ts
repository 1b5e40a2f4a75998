import type { Match } from '../../walk/match.ts';
import type { Name } from '../../walk/walk.ts';
import type { LeafType, Slot } from '../../kind.ts';

/** A match in a JSONL source: the names that lead to it from the file, and what stands there. */
export interface LineMatch {
  readonly names: readonly Name[];
  readonly match: Match;
}

/** What a row is: a leaf of a type, or a container. */
export type RowType = LeafType | 'jsonc-object' | 'jsonc-array';

/** Whether a row is no leaf. */
export function isContainerType(type: RowType): type is 'jsonc-object' | 'jsonc-array' {
  return type === 'jsonc-object' || type === 'jsonc-array';
}

/** Many matches that differ only in their line and value, as columns. */
export interface Rows {
  readonly type: 'rows';
  /** The slot of the line's name. */
  readonly lineSlot: Slot;
  /** The name behind the line's: the same in all rows. */
  readonly name: Name;
  readonly lines: number[];
  readonly columns: number[];
  /** The text of a leaf; empty for a container. */
  readonly valueTexts: string[];
  readonly types: RowType[];
}

/** Matches of any shape. */
export interface Matches {
  readonly type: 'matches';
  readonly matches: LineMatch[];
}

export type Batch = Rows | Matches;

/** The matches of a batch one by one. */
export function* matchesOf(batch: Batch): Generator<LineMatch> {
  if (batch.type === 'matches') {
    yield* batch.matches;
    return;
  }
  const { lineSlot, name, lines, columns, valueTexts, types } = batch;
  for (const [i, line] of lines.entries()) {
    const names = [{ slot: lineSlot, text: `L${line}` }, name];
    const type = types[i]!;
    const spot = { line, column: columns[i]! };
    const match: Match = isContainerType(type)
      ? { kind: 'node', descriptor: type, ...spot }
      : { kind: 'leaf', valueText: valueTexts[i]!, leafType: type, ...spot };
    yield { names, match };
  }
}
