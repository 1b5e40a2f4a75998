/**
 * Finds the place of a hunk: first after the hunk before it, then in the whole file, each time from strict to lenient. Of
 * several equal places none is chosen, unless an anchor, a unified range or the end of the file decides.
 */
import { enclosedBy, findAnchors } from './anchors.ts';
import { LEVELS, type FuzzLevel } from './fold.ts';
import type { Hunk } from './operation.ts';
import { additionsOf, asWritten, onlyAdds, withoutEdges, type Interpretation } from './hunk-interpretations.ts';
import type { Seeker } from './seeker.ts';
import { lineAt } from './line-table.ts';

/** The state after the earlier hunks of the same file. */
export interface Progress {
  /** The line after the last match. */
  cursor: number;
  /** The offset of the last match from its range. */
  drift: number;
  /** 1 for every line that an earlier hunk removes. */
  readonly taken: Uint8Array;
}

export type HunkLocation =
  | {
      readonly status: 'found';
      readonly start: number;
      readonly level: FuzzLevel;
      readonly interpretation: Interpretation;
      /** The number of candidates, if an inexact range decided. */
      readonly guessedFrom?: number;
    }
  | {
      readonly status: 'ambiguous';
      readonly places: readonly number[];
      readonly level: FuzzLevel;
      readonly anchor?: string;
    }
  | { readonly status: 'missing'; readonly anchor?: string };

export function locateHunk(seeker: Seeker, hunk: Hunk, progress: Progress): HunkLocation {
  const anchored = findAnchors(seeker, hunk.anchors, progress.cursor);
  if (anchored.status === 'missing') return anchored;
  const search: Search = { seeker, hunk, progress, anchors: anchored.places };
  if (onlyAdds(hunk)) return insertionOf(search);
  const exact = matchAtRange(search);
  if (exact !== undefined) return foundAt(expectedBy(search), 0, exact);
  const [plain, other] = asWritten(hunk);
  const first = seekInterpretation(search, plain!);
  const spot = other === undefined ? first : stricter(first, seekInterpretation(search, other));
  if (spot.status !== 'missing') return spot;
  for (const interpretations of withoutEdges(hunk)) {
    const spots = interpretations.map((interpretation) => seekInterpretation(search, interpretation));
    const lenient = spots.length === 1 ? spots[0]! : stricter(spots[0]!, spots[1]!);
    if (lenient.status !== 'missing') return lenient;
  }
  return onlyAdds(hunk, true) ? insertionOf(search) : spot;
}

/** How far above a place its heading is searched. */
const MOST_ABOVE = 2000;
const MOST_HEADED = 50;

interface Search {
  readonly seeker: Seeker;
  readonly hunk: Hunk;
  readonly progress: Progress;
  /** Candidate lines of the innermost anchor. */
  readonly anchors: readonly number[];
}

/** A hunk without old lines goes after its anchor, after the line of its range, or at the end. */
function insertionOf({ seeker, hunk, progress, anchors }: Search): HunkLocation {
  const { count } = seeker.table;
  const found = (start: number): HunkLocation => ({
    status: 'found',
    start,
    level: 0,
    interpretation: additionsOf(hunk),
  });
  if (hunk.atEnd) return found(count);
  if (anchors.length > 1) return { status: 'ambiguous', places: anchors, level: 0, anchor: hunk.anchors.at(-1)! };
  if (anchors.length === 1) return found(anchors[0]! + 1);
  if (hunk.range === undefined) return found(count);
  const line = hunk.range.start + progress.drift;
  return line <= count ? found(Math.max(0, line)) : { status: 'missing' };
}

function seekInterpretation(search: Search, interpretation: Interpretation): HunkLocation {
  const { hunk, progress, anchors } = search;
  if (hunk.atEnd) return seekAtEnd(search, interpretation);
  for (const from of startsOfSearch(progress.cursor, anchors)) {
    const spot = seekFrom(search, interpretation, from);
    if (spot.status !== 'missing') return spot;
  }
  if (anchors.length === 0) return { status: 'missing' };
  // The anchor may be repeated as one of the hunk's own lines.
  const size = interpretation.old.length;
  return seekFrom(search, interpretation, Math.max(0, anchors[0]! - size + 1), (at) =>
    hasWithin(anchors, at, at + size),
  );
}

/** The line of the hunk's range, corrected by the drift. */
function expectedBy({ hunk, progress }: Search): number {
  return hunk.range === undefined ? -1 : hunk.range.start - 1 + progress.drift;
}

/** The interpretation that matches exactly at the line of the range; then no other place is searched. */
function matchAtRange(search: Search): Interpretation | undefined {
  const { seeker, hunk, progress, anchors } = search;
  const at = expectedBy(search);
  if (at < progress.cursor || anchors.length > 0 || hunk.atEnd) return undefined;
  const matches = (interpretation: Interpretation): boolean =>
    seeker.matchesAt(interpretation.old, 0, at) &&
    isFree(progress.taken, at, interpretation) &&
    (!(hunk.oldUnended || hunk.newUnended) || at + interpretation.old.length === seeker.table.count);
  return asWritten(hunk).find(matches) ?? withoutEdges(hunk).flat().find(matches);
}

function foundAt(start: number, level: FuzzLevel, interpretation: Interpretation) {
  return { status: 'found' as const, start, level, interpretation };
}

/** Whether one of the ascending numbers is at least `low` and less than `high`. */
function hasWithin(numbers: readonly number[], low: number, high: number): boolean {
  let from = 0;
  let to = numbers.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numbers[middle]! < low) from = middle + 1;
    else to = middle;
  }
  return from < numbers.length && numbers[from]! < high;
}

/** First after the previous hunk, the usual order of hunks; for an anchored hunk not before its anchor. */
function startsOfSearch(cursor: number, anchors: readonly number[]): readonly number[] {
  const low = anchors.length === 0 ? 0 : anchors[0]! + 1;
  return cursor > low ? [cursor, low] : [low];
}

function seekFrom(
  search: Search,
  interpretation: Interpretation,
  from: number,
  fits?: (at: number) => boolean,
): HunkLocation {
  const { seeker, progress } = search;
  for (const level of LEVELS) {
    const found = seeker.find(interpretation.old, level, from);
    if (found.length === 0) continue;
    const free = found.filter((at) => (fits === undefined || fits(at)) && isFree(progress.taken, at, interpretation));
    if (free.length === 1) return foundAt(free[0]!, level, interpretation);
    if (free.length > 1) return decide(search, interpretation, level, free);
  }
  return { status: 'missing' };
}

function seekAtEnd({ seeker, progress, anchors }: Search, interpretation: Interpretation): HunkLocation {
  const start = seeker.table.count - interpretation.old.length;
  if (start < (anchors[0] ?? 0) || !isFree(progress.taken, start, interpretation)) return { status: 'missing' };
  const level = LEVELS.find((each) => seeker.matchesAt(interpretation.old, each, start));
  return level === undefined ? { status: 'missing' } : { status: 'found', start, level, interpretation };
}

function isFree(taken: Uint8Array, start: number, { old }: Interpretation): boolean {
  for (let i = start; i < start + old.length; i++) if (taken[i] === 1) return false;
  return true;
}

/** Decides between equal places by anchors, the end of the file and the range; ambiguous if none of them helps. */
function decide(
  search: Search,
  interpretation: Interpretation,
  level: FuzzLevel,
  places: readonly number[],
): HunkLocation {
  const { seeker, hunk, anchors } = search;
  const found = (start: number) => foundAt(start, level, interpretation);
  const inside = enclosedBy(seeker.table, anchors, places);
  if (inside.length === 1) return found(inside[0]!);
  // If indentation does not show what the anchor encloses, choose the line directly after it.
  const next = inside.length === 0 ? places.filter((at) => hasWithin(anchors, at - 1, at)) : [];
  if (next.length === 1) return found(next[0]!);
  const last = places.at(-1)!;
  if ((hunk.oldUnended || hunk.newUnended) && last + interpretation.old.length === seeker.table.count)
    return found(last);
  if (hunk.range === undefined) return { status: 'ambiguous', places, level };
  const expected = expectedBy(search);
  if (places.includes(expected)) return found(expected);
  // Models count badly but copy well: the text of the heading is more reliable than an inexact line number.
  const headed = places.slice(0, MOST_HEADED).filter((at) => isUnder(seeker, hunk.range!.heading, at));
  const nearest = nearestTo(expected, headed.length > 0 ? headed : places);
  if (nearest.length === 1) return { ...found(nearest[0]!), guessedFrom: places.length };
  return { status: 'ambiguous', places, level };
}

function nearestTo(expected: number, places: readonly number[]): readonly number[] {
  const distance = places.reduce((least, at) => Math.min(least, Math.abs(at - expected)), Number.POSITIVE_INFINITY);
  return places.filter((at) => Math.abs(at - expected) === distance);
}

/** Whether the nearest line above that starts with the heading encloses the place. */
function isUnder({ table }: Seeker, heading: string, place: number): boolean {
  if (heading === '') return false;
  for (let i = place - 1; i >= Math.max(0, place - MOST_ABOVE); i--)
    if (lineAt(table, i).trim().startsWith(heading)) return enclosedBy(table, [i], [place]).length > 0;
  return false;
}

/** The stricter match of two interpretations; at the same level they must agree on the place. */
function stricter(a: HunkLocation, b: HunkLocation): HunkLocation {
  if (b.status === 'missing') return a;
  if (a.status === 'missing') return b;
  if (a.level !== b.level) return a.level < b.level ? a : b;
  if (a.status === 'found' && b.status === 'found' && a.start !== b.start)
    return { status: 'ambiguous', places: [a.start, b.start].toSorted((x, y) => x - y), level: a.level };
  return a.status === 'ambiguous' ? a : b;
}
