/** What the hunks of a patch do to one file, as splices of its text; or which of them does not fit, and why. */
import type { Splice } from '../lines/splice.ts';
import type { FuzzLevel } from './fold.ts';
import { locateHunk, type Progress, type HunkLocation } from './locate-hunk.ts';
import { nearestLine, type Nearest } from './nearest.ts';
import { MARK, type Hunk } from './operation.ts';
import { asWritten } from './hunk-interpretations.ts';
import { Seeker } from './seeker.ts';
import { segmentsOf, splicesOf, type Segment } from './segments.ts';
import { lineTableOf } from './line-table.ts';

/** Where a hunk was found. */
export interface HunkMatch {
  /** Which hunk of the file, from 1. */
  readonly hunk: number;
  /** The line of the file before the patch where it starts, from 1. */
  readonly line: number;
  readonly level: FuzzLevel;
}

export interface FilePlan {
  readonly ok: true;
  readonly splices: readonly Splice[];
  readonly matches: readonly HunkMatch[];
  readonly warnings: readonly string[];
}

/** Why a file cannot be patched. Nothing has been done. */
export interface Refusal {
  readonly ok: false;
  readonly reason: 'mismatch' | 'ambiguous' | 'overlap';
  /** Which hunk of the file, from 1, and where it stands in the patch. */
  readonly hunk: number;
  readonly patchLine: number;
  /** Whether the hunk says that it is the end of the file. */
  readonly atEnd: boolean;
  /** The line, from 1, where the hunk's new lines stand already. */
  readonly appliedAt?: number;
  /** The `@@` line that was not found, or that is in several places. */
  readonly anchor?: string;
  /** The lines, from 1, that the hunk fits alike. */
  readonly places: readonly number[];
  /** What the hunk looks for, and what in the file comes nearest. */
  readonly expected: readonly string[];
  readonly nearest?: Nearest;
}

/** Plans all at once. */
export function planFile(text: string, hunks: readonly Hunk[]): FilePlan | Refusal {
  const steps = planSteps(text, hunks);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Plans in steps, so that a caller can breathe between them. */
export function* planSteps(text: string, hunks: readonly Hunk[]): Generator<void, FilePlan | Refusal> {
  const planner = new Planner(text, hunks);
  for (let i = 0; i < hunks.length; i++) {
    const refusal = planner.take(hunks[i]!, i);
    if (refusal !== undefined) return refusal;
    if (i % 16 === 15) yield;
  }
  return planner.finish();
}

class Planner {
  private readonly hunks: readonly Hunk[];
  private readonly seeker: Seeker;
  private readonly segments: Segment[] = [];
  private readonly matches: HunkMatch[] = [];
  private readonly warnings: string[] = [];
  private progress: Progress;

  constructor(text: string, hunks: readonly Hunk[]) {
    // A patch whose own lines have a CR inside counts lines as the file's LF do.
    const loneCr = text.includes('\r') && !hunks.some(({ body }) => body.some((line) => line.includes('\r')));
    this.hunks = hunks;
    this.seeker = new Seeker(lineTableOf(text, loneCr), hunks.length);
    this.progress = { cursor: 0, drift: 0, taken: new Uint8Array(this.seeker.table.count) };
  }

  /** Finds the place of the next hunk; gives the reason when it has none. */
  take(hunk: Hunk, index: number): Refusal | undefined {
    const { seeker, progress } = this;
    const spot = locateHunk(seeker, hunk, progress);
    if (spot.status !== 'found') return this.refusalOf(hunk, index, spot);
    const { start, level, interpretation, guessedFrom } = spot;
    const ended = hunk.newUnended === hunk.oldUnended ? undefined : hunk.oldUnended;
    for (const segment of segmentsOf(seeker.table, interpretation.body, start, ended)) {
      for (let line = segment.from; line < segment.to; line++) progress.taken[line] = 1;
      this.segments.push(segment);
    }
    this.matches.push({ hunk: index + 1, line: start + 1, level });
    if (guessedFrom !== undefined)
      this.warnings.push(
        `hunk ${index + 1} fits ${guessedFrom} places; line ${start + 1} is nearest to its range and was taken`,
      );
    progress.cursor = start + interpretation.old.length;
    if (hunk.range !== undefined && interpretation.old.length > 0) progress.drift = start + 1 - hunk.range.start;
    return undefined;
  }

  finish(): FilePlan | Refusal {
    const { hunks, matches, warnings } = this;
    const splices = splicesOf(this.seeker.table, this.segments);
    if (splices !== undefined) return { ok: true, splices, matches, warnings };
    const last = hunks.length - 1;
    return { ...described(hunks[last]!, last), reason: 'overlap', places: [] };
  }

  private refusalOf(hunk: Hunk, index: number, spot: Exclude<HunkLocation, { status: 'found' }>): Refusal {
    const base = described(hunk, index);
    const anchor = spot.anchor === undefined ? {} : { anchor: spot.anchor };
    if (spot.status === 'ambiguous')
      return { ...base, ...anchor, reason: 'ambiguous', places: spot.places.map((line) => line + 1) };
    const untaken = { ...this.progress, taken: new Uint8Array(this.progress.taken.length) };
    if (locateHunk(this.seeker, hunk, untaken).status === 'found') return { ...base, reason: 'overlap', places: [] };
    const nearest = nearestLine(this.seeker, spot.anchor === undefined ? base.expected : [spot.anchor]);
    const applied = hunk.body.some(isAdded) ? this.seeker.find(newLines(hunk), 0, 0)[0] : undefined;
    return {
      ...base,
      ...anchor,
      reason: 'mismatch',
      places: [],
      ...(nearest === undefined ? {} : { nearest }),
      ...(applied === undefined ? {} : { appliedAt: applied + 1 }),
    };
  }
}

function described(hunk: Hunk, index: number) {
  const [interpretation] = asWritten(hunk);
  const expected = interpretation!.old.length > 0 ? interpretation!.old : hunk.body.map((line) => line.slice(1));
  return { ok: false as const, hunk: index + 1, patchLine: hunk.line, expected, atEnd: hunk.atEnd };
}

function newLines({ body }: Hunk): readonly string[] {
  return body
    .filter((line) => line.charCodeAt(0) !== MARK.removed)
    .map((line) => (isMarked(line) ? line.slice(1) : line));
}

function isMarked(line: string): boolean {
  return isAdded(line) || line.charCodeAt(0) === MARK.context;
}

function isAdded(line: string): boolean {
  return line.charCodeAt(0) === MARK.added;
}
