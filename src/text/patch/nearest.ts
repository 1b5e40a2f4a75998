/**
 * Where a hunk that does not fit comes nearest to fitting: the line of the file, and the first difference in it. An edit asks
 * `text/edit/nearest.ts`, which reads a text and shows an excerpt; here the index of the hunk's seeker finds equal lines, also in
 * files that are too big to be split, and lines are alike as patches age: in their beginning and end.
 */
import { foldLine } from './fold.ts';
import type { Seeker } from './seeker.ts';
import { lineAt } from './line-table.ts';

export interface Nearest {
  /** The line of the file, from 1. */
  readonly line: number;
  readonly found: string;
  /** The line of the hunk that stands against it. */
  readonly expected: string;
}

/** So many lines of a hunk, places of a line and lines of a file are looked at: help must not cost more than the work. */
const MOST_LINES = 100;
const MOST_VOTES = 50;
const MOST_COMPARED = 50_000;

export function nearestLine(seeker: Seeker, expected: readonly string[]): Nearest | undefined {
  const start = likeliestStart(seeker, expected);
  if (start === undefined) return mostAlike(seeker, expected.find((line) => line.trim() !== '') ?? '');
  for (const [i, line] of expected.entries()) {
    const at = start + i;
    const found = at < seeker.table.count ? lineAt(seeker.table, at) : '';
    if (at >= 0 && foldLine(found, 2) !== foldLine(line, 2)) return { line: at + 1, found, expected: line };
  }
  return { line: start + 1, found: lineAt(seeker.table, Math.max(0, start)), expected: expected[0]! };
}

/** Where most lines of the hunk stand at their distance from each other. */
function likeliestStart(seeker: Seeker, expected: readonly string[]): number | undefined {
  const votes = new Map<number, number>();
  for (const [i, line] of expected.slice(0, MOST_LINES).entries()) {
    if (line.trim() === '') continue;
    for (const at of seeker.linesWith(line, 2, MOST_VOTES)) votes.set(at - i, (votes.get(at - i) ?? 0) + 1);
  }
  let best: number | undefined;
  for (const [start, count] of votes) {
    const most = best === undefined ? 0 : votes.get(best)!;
    if (count > most || (count === most && start < best!)) best = start;
  }
  return best;
}

/** The line that shares most of its beginning and its end with this one. */
function mostAlike({ table }: Seeker, line: string): Nearest | undefined {
  const wanted = line.trim().slice(0, 200);
  let best: number | undefined;
  let most = Math.max(2, Math.floor(wanted.length / 4));
  for (let i = 0; i < table.count && i < MOST_COMPARED; i++) {
    const score = alike(wanted, lineAt(table, i).slice(0, 400).trim());
    if (score <= most) continue;
    most = score;
    best = i;
  }
  return best === undefined ? undefined : { line: best + 1, found: lineAt(table, best), expected: line };
}

function alike(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a.charCodeAt(head) === b.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < shorter - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++;
  return head + tail;
}
