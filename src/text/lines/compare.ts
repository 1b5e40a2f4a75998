import { diffArrays } from 'diff';
import { linesOf } from './position.ts';
import type { Splice } from './splice.ts';

/** The line-wise splices that turn one text into another. */
export function lineSplices(before: string, after: string): Splice[] {
  if (before === after) return [];
  const splices: Splice[] = [];
  let at = 0;
  let open: { start: number; end: number; text: string } | undefined;
  for (const part of diffArrays(linesOf(before), linesOf(after))) {
    const text = part.value.join('');
    if (!part.added && !part.removed) {
      at += text.length;
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { start: at, end: at, text: '' };
      splices.push(open);
    }
    if (part.added) open.text += text;
    else {
      at += text.length;
      open.end = at;
    }
  }
  return splices;
}

/** One splice from the first to the last line that differs, in linear time. */
export function changedLines(before: string, after: string): Splice[] {
  if (before === after) return [];
  const old = linesOf(before);
  const now = linesOf(after);
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const start = lengthOf(old.slice(0, head));
  const behind = lengthOf(old.slice(old.length - tail));
  return [{ start, end: before.length - behind, text: after.slice(start, after.length - behind) }];
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}
