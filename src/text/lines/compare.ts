import { diffArrays } from 'diff';
import { linesOf } from './position.ts';
import type { Splice } from './splice.ts';

/** The splices, line by line, that make one text of another. */
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
