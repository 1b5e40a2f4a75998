import { lineEnd, lineStart } from '../../lines/position.ts';
import type { Splice } from '../../lines/splice.ts';
import { commaAfter } from './insert.ts';
import { startsItsLine } from './layout.ts';
import { type Entry, lineCommentEnd } from './scan.ts';

/** Removes the entry at `index`, with its comma and the comment on its line. */
export function removeSplices(text: string, entries: readonly Entry[], index: number): Splice[] {
  const entry = entries[index]!;
  const previous = entries[index - 1];
  const next = entries[index + 1];
  const comma = commaAfter(text, entry.end);
  const splices: Splice[] = [];
  // Removing the last entry removes the comma before it: JSON has no trailing comma.
  if (next === undefined && comma < 0 && previous !== undefined) {
    const before = commaAfter(text, previous.end);
    splices.push({ start: before, end: before + 1, text: '' });
  }
  const after = comma < 0 ? entry.end : comma + 1;
  const wholeLines = startsItsLine(text, entry.keyStart) && restOfLineIsComment(text, after);
  if (wholeLines) splices.push({ start: lineStart(text, entry.keyStart), end: lineEnd(text, after), text: '' });
  else if (next !== undefined) splices.push({ start: entry.keyStart, end: blanksAfter(text, after), text: '' });
  else
    splices.push({
      start: previous === undefined ? entry.keyStart : blanksBefore(text, entry.keyStart),
      end: after,
      text: '',
    });
  return joinTouching(splices);
}

/** True if only blanks and comments follow on this line, and no block comment continues after it. */
function restOfLineIsComment(text: string, from: number): boolean {
  const end = lineEnd(text, from);
  if (end === from || text[end - 1] !== '\n') return false;
  for (let at = from; at < end; ) {
    if (text.startsWith('//', at)) at = lineCommentEnd(text, at);
    if (text.startsWith('/*', at)) {
      at = text.indexOf('*/', at + 2) + 2;
      if (at > end) return false;
    } else if (text[at] === '\r' && text[at + 1] !== '\n')
      return false; // a lone CR ends a comment: the rest belongs to the next entry
    else if (' \t\r\n'.includes(text[at]!)) at++;
    else return false;
  }
  return true;
}

/** A comment before the next entry belongs to that entry. */
function blanksAfter(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end;
}

function blanksBefore(text: string, at: number): number {
  let start = at;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  return start;
}

function joinTouching(splices: readonly Splice[]): Splice[] {
  const [a, b] = splices;
  if (a !== undefined && b !== undefined && b.start < a.end) return [{ start: a.start, end: b.end, text: '' }];
  return [...splices];
}
