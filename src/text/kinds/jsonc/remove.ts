import { lineEnd, lineStart } from '../../lines/position.ts';
import type { Splice } from '../../lines/splice.ts';
import { commaAfter } from './insert.ts';
import { startsItsLine } from './layout.ts';
import { type Entry, lineCommentEnd } from './scan.ts';

/** The splices that take entry `index` out, with its comma and the comment on its own line; nothing else moves. */
export function removeSplices(text: string, entries: readonly Entry[], index: number): Splice[] {
  const entry = entries[index]!;
  const previous = entries[index - 1];
  const next = entries[index + 1];
  const comma = commaAfter(text, entry.end);
  const splices: Splice[] = [];
  // The last entry without a comma of its own takes the comma before it along: JSON has no trailing comma.
  if (next === undefined && comma < 0 && previous !== undefined) {
    const before = commaAfter(text, previous.end);
    splices.push({ start: before, end: before + 1, text: '' });
  }
  const behind = comma < 0 ? entry.end : comma + 1;
  const wholeLines = startsItsLine(text, entry.keyStart) && restOfLineIsComment(text, behind);
  if (wholeLines) splices.push({ start: lineStart(text, entry.keyStart), end: lineEnd(text, behind), text: '' });
  else if (next !== undefined) splices.push({ start: entry.keyStart, end: blanksAfter(text, behind), text: '' });
  else
    splices.push({
      start: previous === undefined ? entry.keyStart : blanksBefore(text, entry.keyStart),
      end: behind,
      text: '',
    });
  return joinTouching(splices);
}

/** Nothing but blanks and comments follows on this line, and no block comment runs over its end. */
function restOfLineIsComment(text: string, from: number): boolean {
  const end = lineEnd(text, from);
  if (end === from || text[end - 1] !== '\n') return false;
  for (let at = from; at < end; ) {
    if (text.startsWith('//', at)) at = lineCommentEnd(text, at);
    if (text.startsWith('/*', at)) {
      at = text.indexOf('*/', at + 2) + 2;
      if (at > end) return false;
    } else if (text[at] === '\r' && text[at + 1] !== '\n')
      return false; // a lone CR ends a comment: what follows is another's
    else if (' \t\r\n'.includes(text[at]!)) at++;
    else return false;
  }
  return true;
}

/** A comment before the next entry is that entry's. */
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
