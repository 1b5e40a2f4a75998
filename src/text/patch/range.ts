/** The range of a unified header, `@@ -start,count +start,count @@ heading`, and its line counts. */
import { MARK } from './operation.ts';

export interface UnifiedRange {
  /** A line of the old file, from 1. */
  readonly start: number;
  /** The line counts of both sides, if the header has them. */
  readonly counts: Counts | undefined;
  readonly heading: string;
}

export interface Counts {
  readonly old: number;
  readonly new: number;
}

const RANGE = /^@@+\s*-(\d+)(?:,(\d+))?(?:\s+\+\d+(?:,(\d+))?)?\s*(?:@@+\s?(.*))?$/su;
const NEW_SIDE = /^@@+\s*-[\d,]+\s+\+/u;

export function rangeIn(line: string): UnifiedRange | undefined {
  const range = RANGE.exec(line);
  if (range === null) return undefined;
  const [, start, old = '1', fresh = '1', heading = ''] = range;
  const counts = NEW_SIDE.test(line) ? { old: Number(old), new: Number(fresh) } : undefined;
  return { start: Number(start), counts, heading: heading.trim() };
}

/** The line counts of both sides of a body. */
export function countsOf(body: readonly string[]): Counts {
  const added = body.filter((line) => line.charCodeAt(0) === MARK.added).length;
  const removed = body.filter((line) => line.charCodeAt(0) === MARK.removed).length;
  return { old: body.length - added, new: body.length - removed };
}

/** The line after a hunk with these counts whose body starts at `at`; undefined when the counts are wrong. */
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
