/** Turns the hunks of one file into splices of its text, or explains which hunk does not match. */
import type { Splice } from '../lines/splice.ts';
import type { FuzzLevel } from './fold.ts';
import { locateHunk, type Progress, type HunkLocation } from './locate-hunk.ts';
import { nearestLine, type Nearest } from './nearest.ts';
import { MARK, type Hunk } from './operation.ts';
import { asWritten } from './hunk-interpretations.ts';
import { Seeker } from './seeker.ts';
import { segmentsOf, splicesOf, type Segment } from './segments.ts';
import { lineTableOf } from './line-table.ts';

export interface HunkMatch {
  /** The number of the hunk, from 1. */
  readonly hunk: number;
  /** The line of the unpatched file, from 1. */
  readonly line: number;
  readonly level: FuzzLevel;
}

export interface FilePlan {
  readonly ok: true;
  readonly splices: readonly Splice[];
  readonly matches: readonly HunkMatch[];
  readonly warnings: readonly string[];
}

/** Why a file cannot be patched. Nothing was changed. */
export interface Refusal {
  readonly ok: false;
  readonly reason: 'mismatch' | 'ambiguous' | 'overlap';
  /** The number of the hunk in the file, from 1. */
  readonly hunk: number;
  readonly patchLine: number;
  readonly atEnd: boolean;
  /** The line, from 1, where the file already contains the hunk's new lines. */
  readonly appliedAt?: number;
  /** The `@@` line that was not found, or that has several matches. */
  readonly anchor?: string;
  /** The lines, from 1, that match equally well. */
  readonly places: readonly number[];
  readonly expected: readonly string[];
  readonly nearest?: Nearest;
}

/** Plans synchronously. */
export function planFile(text: string, hunks: readonly Hunk[]): FilePlan | Refusal {
  const steps = planSteps(text, hunks);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Plans in steps, so that the caller can yield to the event loop. */
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
    // If lines of the patch contain a CR, a lone CR in the file is not a line ending.
    const loneCr = text.includes('\r') && !hunks.some(({ body }) => body.some((line) => line.includes('\r')));
    this.hunks = hunks;
    this.seeker = new Seeker(lineTableOf(text, loneCr), hunks.length);
    this.progress = { cursor: 0, drift: 0, taken: new Uint8Array(this.seeker.table.count) };
  }

  /** Locates the next hunk; returns the refusal when there is no unique place. */
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
        `hunk ${index + 1} matches ${guessedFrom} places; line ${start + 1} is nearest to its range and was chosen`,
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
