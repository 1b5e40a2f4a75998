/**
 * The line of the file that is most similar to a hunk that does not match. Unlike `text/edit/nearest.ts`, it uses the index of
 * the seeker, also for files that are too big to split, and compares the starts and ends of lines, as outdated patches differ.
 */
import { foldLine } from './fold.ts';
import type { Seeker } from './seeker.ts';
import { lineAt } from './line-table.ts';

export interface Nearest {
  /** The line of the file, from 1. */
  readonly line: number;
  readonly found: string;
  /** The corresponding line of the hunk. */
  readonly expected: string;
}

/** Limits of hunk lines, occurrences per line and compared lines: an error message must stay cheap. */
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

/** The start at which most lines of the hunk are in place. */
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

/** The line with the longest common prefix and suffix. */
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
