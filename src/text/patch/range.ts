/** The range of a unified header, `@@ -start,count +start,count @@ heading`, and what its counts say about a body. */
import { MARK } from './operation.ts';

export interface UnifiedRange {
  /** In lines of the old file, from 1. */
  readonly start: number;
  /** How many lines the hunk has on both sides, where the header says so. */
  readonly counts: Counts | undefined;
  readonly heading: string;
}

export interface Counts {
  readonly old: number;
  readonly new: number;
}

const RANGE = /^@@+\s*-(\d+)(?:,(\d+))?(?:\s+\+\d+(?:,(\d+))?)?\s*(?:@@+\s?(.*))?$/su;
const NEW_SIDE = /^@@+\s*-[\d,]+\s+\+/u;

/** The range that a line opens a hunk with, if it has one. */
export function rangeIn(line: string): UnifiedRange | undefined {
  const range = RANGE.exec(line);
  if (range === null) return undefined;
  const [, start, old = '1', fresh = '1', heading = ''] = range;
  const counts = NEW_SIDE.test(line) ? { old: Number(old), new: Number(fresh) } : undefined;
  return { start: Number(start), counts, heading: heading.trim() };
}

/** How many lines a body has on both sides. */
export function countsOf(body: readonly string[]): Counts {
  const added = body.filter((line) => line.charCodeAt(0) === MARK.added).length;
  const removed = body.filter((line) => line.charCodeAt(0) === MARK.removed).length;
  return { old: body.length - added, new: body.length - removed };
}

/** The line behind a hunk whose body, from `at` on, is as long as counted; undefined when the counts are wrong. */
export function endByCounts(lines: readonly string[], at: number, counts: Counts): number | undefined {
  let { old, new: fresh } = counts;
  let end = at;
  for (; old > 0 || fresh > 0; end++) {
    const line = lines[end];
    if (line === undefined) return undefined;
    const mark = line === '' ? MARK.context : line.charCodeAt(0);
    if (mark === MARK.removed) old--;
    else if (mark === MARK.added) fresh--;
    else if (mark === MARK.context) {
      old--;
      fresh--;
    } else if (!line.startsWith('\\ ')) return undefined;
    if (old < 0 || fresh < 0) return undefined;
  }
  return lines[end]?.startsWith('\\ ') === true ? end + 1 : end;
}
