/** Finds the lines that `@@` names, and the lines that they enclose. */
import { LEVELS } from './fold.ts';
import type { Seeker } from './seeker.ts';
import { lineAt, type LineTable } from './line-table.ts';

export type Anchored =
  | { readonly status: 'found'; readonly places: readonly number[] }
  | { readonly status: 'missing'; readonly anchor: string };

/** A line with more occurrences is useless as an anchor, and no anchor encloses more lines than this. */
const MOST_ANCHORS = 20;
const MOST_ENCLOSED = 20_000;

const UNANCHORED: Anchored = { status: 'found', places: [] };

/** Narrows from anchor to anchor. Several places may remain; then the hunk's own lines decide. */
export function findAnchors(seeker: Seeker, anchors: readonly string[], cursor: number): Anchored {
  if (anchors.length === 0) return UNANCHORED;
  let places: readonly number[] = [];
  for (const [i, anchor] of anchors.entries()) {
    const found = i === 0 ? findAnchor(seeker, anchor, cursor) : findInside(seeker, anchor, places);
    if (found.length === 0) return { status: 'missing', anchor };
    places = found;
  }
  return { status: 'found', places };
}

/** Prefers lines after the cursor to the whole file, and whole lines to parts. */
function findAnchor(seeker: Seeker, anchor: string, cursor: number): readonly number[] {
  const froms = cursor > 0 ? [cursor, 0] : [0];
  for (const from of froms) {
    const whole = wholeLines(seeker, anchor, from);
    if (whole.length > 0) return whole;
  }
  for (const from of froms) {
    const containing = seeker.linesContaining(anchor.trim(), from);
    const starting = containing.filter((line) => lineAt(seeker.table, line).trimStart().startsWith(anchor.trim()));
    if (starting.length === 1) return starting;
    if (containing.length === 1) return containing;
  }
  return [];
}

function wholeLines(seeker: Seeker, anchor: string, from: number): readonly number[] {
  for (const level of LEVELS) {
    const found = seeker.find([anchor], level, from);
    if (found.length > 0) return found;
  }
  return [];
}

function findInside(seeker: Seeker, anchor: string, outer: readonly number[]): readonly number[] {
  const after = findAnchor(seeker, anchor, outer[0]! + 1).filter((line) => line > outer[0]!);
  const inside = enclosedBy(seeker.table, outer, after);
  return inside.length > 0 ? inside : after;
}

/** The lines that one of the anchors encloses, by indentation. */
export function enclosedBy(table: LineTable, anchors: readonly number[], lines: readonly number[]): readonly number[] {
  if (anchors.length > MOST_ANCHORS) return [];
  const scopes = anchors.map((anchor) => ({ anchor, end: scopeEnd(table, anchor) }));
  return lines.filter((line) => scopes.some(({ anchor, end }) => line > anchor && line < end));
}

/** The line after the last one that an anchor encloses. */
function scopeEnd(table: LineTable, anchor: number): number {
  const depth = indentOf(lineAt(table, anchor));
  const until = Math.min(table.count, anchor + MOST_ENCLOSED);
  for (let i = anchor + 1; i < until; i++) {
    const line = lineAt(table, i);
    const text = line.trim();
    if (text === '' || indentOf(line) > depth || text.startsWith('{')) continue;
    if (!/^[)\]}]/u.test(text)) return i;
    if (!/[({[:]$/u.test(text)) return i + 1;
  }
  return until;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
