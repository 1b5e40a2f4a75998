/** Plans several edits of one text, each against the original, all or nothing. */
import { PositionFinder } from '../lines/position.ts';
import type { Splice } from '../lines/splice.ts';
import { type AppliedEdit, appliedAt } from './already-applied.ts';
import { cleanEdit, type Edit } from './clean-edit.ts';
import { Endings } from './endings.ts';
import { Finder, type Match } from './find.ts';
import type { Level } from './levels.ts';
import { type Nearest, nearestPassage } from './nearest.ts';
import { renderEdit } from './render.ts';

export interface Planned {
  readonly ok: true;
  /** Sorted, without overlaps. */
  readonly splices: readonly Splice[];
  /** For each edit: the match level and the number of places. */
  readonly found: readonly { readonly level: Level; readonly places: number }[];
}

/** Why no edit was applied; `edit` is the index of the one that failed. */
export type Unplanned = { readonly ok: false; readonly edit: number } & (
  | {
      readonly reason: 'not-found';
      readonly nearest: Nearest | undefined;
      /** Where the new text already is, if this edit was probably applied before. */
      readonly applied: AppliedEdit | undefined;
    }
  | {
      readonly reason: 'ambiguous';
      readonly level: Level;
      readonly lines: readonly number[];
      /** There are more places than `lines`. */
      readonly more: boolean;
    }
  | { readonly reason: 'overlap'; readonly other: number; readonly line: number }
  | { readonly reason: 'too-many'; readonly most: number }
  /** Every edit was applied before: the file contains the new texts and none of the old ones. */
  | { readonly reason: 'applied'; readonly places: readonly AppliedEdit[] }
);

/** A refusal, without the case that all edits were applied before. */
export type Refused = Exclude<Unplanned, { readonly reason: 'applied' }>;

/** Bounds the memory. */
export const MOST_REPLACED = 200_000;

interface Placed {
  readonly edit: number;
  readonly matches: readonly Match[];
}

/**
 * The splices for all edits, or the first reason why they cannot be applied. `isRecorded` checks whether an edit was applied
 * before, where the text alone does not prove it.
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
    // A single match is not unique while there are candidates that were not checked.
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

/** Whether a piece with a mark occurs in the text. If the piece without its mark also matches the start, the mark is dropped. */
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
  const places: AppliedEdit[] = [];
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
