/**
 * The hunks of one file in a unified diff. The counts determine where a hunk ends, so any line may be content. Where the
 * counts are wrong, as models often get them, a hunk extends as far as its lines look like one.
 */
import { gitHeaderAt } from './git-header.ts';
import { readHunks } from '../hunks.ts';
import type { Hunk } from '../operation.ts';
import { endByCounts, rangeIn } from '../range.ts';
import type { PatchLines } from '../syntax.ts';

/** Whether the `---` and `+++` lines of a file are at `i`. */
export function startsFile(lines: readonly string[], i: number): boolean {
  const [from, to] = [lines[i]!, lines[i + 1]];
  if (!from.startsWith('--- ') || to?.startsWith('+++ ') !== true) return false;
  return /^(?:---|\+\+\+) \/dev\/null\s*$/mu.test(`${from}\n${to}`) || lines[i + 2]?.startsWith('@@ -') === true;
}

/** Reads the hunks from the current line on, and stops after the last one. */
export function readUnifiedHunks(source: PatchLines): Hunk[] {
  const { lines } = source;
  const hunks: Hunk[] = [];
  for (let at = nextFilled(lines, source.at); at < lines.length; at = nextFilled(lines, source.at)) {
    const range = rangeIn(lines[at]!);
    if (range === undefined) break;
    const counted = range.counts === undefined ? undefined : endByCounts(lines, at + 1, range.counts);
    const until = counted === undefined || continuesAfter(lines, counted) ? endByLooks(lines, at + 1) : counted;
    hunks.push(...readHunks({ lines, at, until, lastEnd: -1 }));
    source.at = until;
  }
  return hunks;
}

function nextFilled(lines: readonly string[], from: number): number {
  let at = from;
  while (lines[at] === '') at++;
  return at;
}

/** Whether the hunk has more lines than its counts. */
function continuesAfter(lines: readonly string[], end: number): boolean {
  const next = nextFilled(lines, end);
  return next < lines.length && /^[-+ ]/u.test(lines[next]!) && !isBoundary(lines, next);
}

/** The end before the next hunk or file, without trailing empty lines. */
function endByLooks(lines: readonly string[], from: number): number {
  let end = from;
  while (end < lines.length && !isBoundary(lines, end)) end++;
  while (end > from && lines[end - 1] === '') end--;
  return end;
}

/** Whether a line ends a hunk: the next hunk, another file, or a mail signature. */
function isBoundary(lines: readonly string[], i: number): boolean {
  const line = lines[i]!;
  if (line.startsWith('@@')) return rangeIn(line) !== undefined;
  if (startsFile(lines, i) || gitHeaderAt(lines, i) !== undefined) return true;
  const next = lines[i + 1];
  if (next === undefined) return false;
  return (/^--\s*$/u.test(line) && /^\d+\.\d+/u.test(next)) || (line.startsWith('Index: ') && /^={3,}$/u.test(next));
}
