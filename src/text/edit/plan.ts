/** Several edits of one text, each against the original, all or nothing. Knows no files. */
import { PositionFinder } from '../lines/position.ts';
import type { Splice } from '../lines/splice.ts';
import { type Applied, appliedAt } from './applied.ts';
import { cleanEdit, type Edit } from './asked.ts';
import { Endings } from './endings.ts';
import { Finder, type Match } from './find.ts';
import type { Level } from './levels.ts';
import { type Nearest, nearestPassage } from './nearest.ts';
import { renderEdit } from './render.ts';

export interface Planned {
  readonly ok: true;
  /** In the order of their place; none overlap. */
  readonly splices: readonly Splice[];
  /** For each edit: how its text was found, and at how many places. */
  readonly found: readonly { readonly level: Level; readonly places: number }[];
}

/** Why no edit was made; `edit` is the number of the one that could not be, from 0. */
export type Unplanned = { readonly ok: false; readonly edit: number } & (
  | {
      readonly reason: 'not-found';
      readonly nearest: Nearest | undefined;
      /** Where the new text stands as if this edit had been made before. */
      readonly applied: Applied | undefined;
    }
  | {
      readonly reason: 'ambiguous';
      readonly level: Level;
      readonly lines: readonly number[];
      /** There are more than the lines say. */
      readonly more: boolean;
    }
  | { readonly reason: 'overlap'; readonly other: number; readonly line: number }
  | { readonly reason: 'too-many'; readonly most: number }
  /** Every edit has been made before: the new texts stand and the old ones are gone. */
  | { readonly reason: 'applied'; readonly places: readonly Applied[] }
);

/** What an edit is refused for; one that was made before is not. */
export type Refused = Exclude<Unplanned, { readonly reason: 'applied' }>;

/** Splices beyond this number would fill the memory. */
export const MOST_REPLACED = 200_000;

interface Placed {
  readonly edit: number;
  readonly matches: readonly Match[];
}

/**
 * The splices that make all the edits, or the first reason why they cannot be made. `isRecorded` says of an edit that
 * it was made before, where the text alone cannot tell.
 */
export function planEdits(
  text: string,
  asked: readonly Edit[],
  isRecorded: (edit: Edit) => boolean = () => false,
): Planned | Unplanned {
  const edits = asked.map((edit) => cleanEdit(edit, (piece) => isOnlyInside(text, piece, edit)));
  const finder = new Finder(text);
  const positions = new PositionFinder(text);
  const placed: Placed[] = [];
  for (const [index, edit] of edits.entries()) {
    const matches = edit.replaceAll ? finder.findAll(edit.oldText, MOST_REPLACED + 1) : finder.find(edit.oldText);
    if (matches.length === 0) return notFound(finder, edits, index, isRecorded);
    if (matches.length > MOST_REPLACED) return { ok: false, edit: index, reason: 'too-many', most: MOST_REPLACED };
    // One place is not the only one while there are others that nobody looked at.
    const more = !edit.replaceAll && finder.hasMore(edit.oldText);
    if (more || (matches.length > 1 && !edit.replaceAll)) return ambiguous(index, matches, more, positions);
    placed.push({ edit: index, matches });
  }
  const overlap = overlapOf(placed, positions);
  if (overlap !== undefined) return overlap;
  const endings = new Endings(text);
  const splices = placed.flatMap(({ edit, matches }) =>
    matches.flatMap((match) => renderEdit(text, match, edits[edit]!, endings)),
  );
  return {
    ok: true,
    splices: splices.sort((a, b) => a.start - b.start),
    found: placed.map(({ matches }) => ({ level: loosest(matches), places: matches.length })),
  };
}

/** Whether a piece with a mark stands in the text; what also fits the beginning, behind the file's own mark, is ambiguous without it. */
function isOnlyInside(text: string, piece: string, { oldText, replaceAll }: Edit): boolean {
  return text.includes(piece) && (replaceAll === true || !text.startsWith(oldText.slice(1)));
}

function loosest(matches: readonly Match[]): Level {
  return matches.find(({ level }) => level !== 'exact')?.level ?? 'exact';
}

function notFound(
  finder: Finder,
  edits: readonly Edit[],
  index: number,
  isRecorded: (edit: Edit) => boolean,
): Unplanned {
  const places: Applied[] = [];
  for (const edit of edits) {
    const place = appliedAt(finder, edit);
    if (place === undefined || !(place.evident || isRecorded(edit))) break;
    places.push(place);
  }
  if (places.length === edits.length) return { ok: false, edit: index, reason: 'applied', places };
  const asked = edits[index]!;
  return {
    ok: false,
    edit: index,
    reason: 'not-found',
    nearest: nearestPassage(finder.text, asked.oldText),
    applied: appliedAt(finder, asked),
  };
}

function ambiguous(edit: number, matches: readonly Match[], more: boolean, positions: PositionFinder): Unplanned {
  const lines = matches.map(({ start }) => positions.at(start).line);
  return { ok: false, edit, reason: 'ambiguous', level: matches[0]!.level, lines, more };
}

function overlapOf(placed: readonly Placed[], positions: PositionFinder): Unplanned | undefined {
  const spans = placed
    .flatMap(({ edit, matches }) => matches.map(({ start, end }) => ({ edit, start, end })))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [i, span] of spans.entries()) {
    const next = spans[i + 1];
    if (next === undefined || next.start >= span.end) continue;
    const [edit, other] = [span.edit, next.edit].sort((a, b) => a - b) as [number, number];
    return { ok: false, edit, reason: 'overlap', other, line: positions.at(next.start).line };
  }
  return undefined;
}
