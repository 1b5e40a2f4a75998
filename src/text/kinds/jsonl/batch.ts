import { CONTAINER_KIND, type Match } from '../../walk/match.ts';
import type { Name } from '../../walk/walk.ts';
import type { LeafType, Slot } from '../../kind.ts';

/** A match in a JSONL source, with its names from the root of the file. */
export interface LineMatch {
  readonly names: readonly Name[];
  readonly match: Match;
}

export type RowType = LeafType | 'jsonc-object' | 'jsonc-array';

export function isContainerType(type: RowType): type is 'jsonc-object' | 'jsonc-array' {
  return type === 'jsonc-object' || type === 'jsonc-array';
}

/** Matches that differ only in line and value, stored as columns. */
export interface Rows {
  readonly type: 'rows';
  readonly lineSlot: Slot;
  /** The name after the line's: the same in all rows. */
  readonly name: Name;
  readonly lines: number[];
  readonly columns: number[];
  /** Empty for a container. */
  readonly valueTexts: string[];
  readonly types: RowType[];
}

export interface Matches {
  readonly type: 'matches';
  readonly matches: LineMatch[];
}

export type Batch = Rows | Matches;

export function* matchesOf(batch: Batch): Generator<LineMatch> {
  if (batch.type === 'matches') {
    yield* batch.matches;
    return;
  }
  const { lineSlot, name, lines, columns, valueTexts, types } = batch;
  for (const [i, line] of lines.entries()) {
    const names = [{ slot: lineSlot, text: `L${line}` }, name];
    const type = types[i]!;
    const position = { line, column: columns[i]! };
    const match: Match = isContainerType(type)
      ? { kind: CONTAINER_KIND, descriptor: type, ...position }
      : { kind: 'leaf', valueText: valueTexts[i]!, leafType: type, ...position };
    yield { names, match };
  }
}
