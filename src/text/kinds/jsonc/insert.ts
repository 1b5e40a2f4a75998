import type { Splice } from '../../lines/splice.ts';
import type { JsonValue } from '../../json/value.ts';
import { lineEnd, lineStart } from '../../lines/position.ts';
import { type ContainerLayout, isContainer, layoutOf, marginOf, renderValue, startsItsLine } from './layout.ts';
import { lineCommentEnd, skipBlanks } from './scan.ts';

/** Longer lines are minified JSON, where no container has its own line. */
const LONG_LINE = 1000;

/**
 * Inserts an entry (with `key`) or element into the container between `open` and `end`, before the entry at `index`.
 * Never reformats other lines; a trailing comment stays with its entry.
 */
export function insertSplices(
  text: string,
  open: number,
  end: number,
  index: number,
  key: string | undefined,
  value: JsonValue,
): Splice[] {
  const layout = layoutOf(text, open, end);
  const { entries } = layout;
  if (entries.length === 0) return insertIntoEmpty(text, open, layout, key, value);
  const previous = entries[index - 1];
  const next = entries[index];
  const from = previous?.end ?? open + 1;
  const comma = previous === undefined ? -1 : commaAfter(text, previous.end);
  const after = comma < 0 ? from : comma + 1;
  const until = next?.keyStart ?? layout.close;
  const lineEnding = lineBreak(text, after, until);
  const onLines = lineEnding >= 0;
  const written = entryText(text, layout, key, value, onLines);
  const splices: Splice[] = [];
  if (previous !== undefined && comma < 0) splices.push({ start: from, end: from, text: ',' });
  // A comma follows before another entry, or if the last entry had a trailing comma.
  const tail = next !== undefined || comma >= 0 ? ',' : '';
  if (onLines) {
    splices.push({ start: lineEnding, end: lineEnding, text: `${layout.eol}${layout.margin}${written}${tail}` });
  } else if (next !== undefined) {
    splices.push({ start: next.keyStart, end: next.keyStart, text: `${written},${gapAfterComma(text, layout)}` });
  } else {
    const at = endOfTokens(text, after, until);
    splices.push({ start: at, end: at, text: `${gapAfterComma(text, layout)}${written}${tail}` });
  }
  return mergeAtSameOffset(splices);
}

function insertIntoEmpty(
  text: string,
  open: number,
  layout: ContainerLayout,
  key: string | undefined,
  value: JsonValue,
): Splice[] {
  const { close, eol, margin } = layout;
  const inside = text.slice(open + 1, close);
  if (/[\n\r]/.test(inside)) {
    const written = entryText(text, layout, key, value, true);
    if (startsItsLine(text, close)) {
      const at = close - marginOf(text, close).length;
      return [{ start: at, end: at, text: `${margin}${written}${eol}` }];
    }
    return [{ start: close, end: close, text: `${eol}${margin}${written}${eol}${marginOf(text, open)}` }];
  }
  const spread = hasOwnLine(text, open, close) && (key !== undefined || isContainer(value)) && inside.trim() === '';
  const written = entryText(text, layout, key, value, spread);
  if (spread) return [{ start: open + 1, end: close, text: `${eol}${margin}${written}${eol}${marginOf(text, open)}` }];
  const at = endOfTokens(text, open + 1, close);
  return [{ start: at, end: at, text: inside.trim() === '' ? written : ` ${written}` }];
}

/** True if the container has its own line, after its key: then each entry gets its own line, too. */
function hasOwnLine(text: string, open: number, close: number): boolean {
  if (!text.trimEnd().includes('\n')) return false;
  const before = text.slice(lineStart(text, open), open);
  const after = text.slice(close + 1, lineEnd(text, close)).trimEnd();
  if (before.length + after.length > LONG_LINE) return false;
  return (
    /^\uFEFF?\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*)?$/.test(before) && /^\s*[,\]}]?\s*(?:\/\/.*|\/\*.*\*\/\s*)?$/.test(after)
  );
}

function entryText(
  text: string,
  layout: ContainerLayout,
  key: string | undefined,
  value: JsonValue,
  expand: boolean,
): string {
  const written = renderValue(text, value, layout, expand);
  return key === undefined ? written : `${JSON.stringify(key)}${layout.colon}${written}`;
}

/** The comma after a value, its blanks and comments; -1 if the container closes. */
export function commaAfter(text: string, end: number): number {
  const at = skipBlanks(text, end);
  return text[at] === ',' ? at : -1;
}

/** The first line break between two tokens outside block comments, or -1. */
function lineBreak(text: string, from: number, until: number): number {
  for (let at = from; at < until; ) {
    if (text.startsWith('/*', at)) at = text.indexOf('*/', at + 2) + 2;
    else if (text.startsWith('//', at)) at = lineCommentEnd(text, at);
    else if (text[at] === '\n' || text[at] === '\r') return at;
    else at++;
  }
  return -1;
}

/** The end of the last token or comment before `until`. */
function endOfTokens(text: string, from: number, until: number): number {
  let at = until;
  while (at > from && ' \t\r\n'.includes(text[at - 1]!)) at--;
  return at;
}

function gapAfterComma(text: string, layout: ContainerLayout): string {
  const [first, second] = layout.entries;
  if (first !== undefined && second !== undefined) {
    const comma = commaAfter(text, first.end);
    const between = text.slice(comma + 1, second.keyStart);
    if (/^ *$/.test(between)) return between.slice(0, 1);
  }
  return layout.colon === ':' ? '' : ' ';
}

/** The comma of the previous entry and the new entry may have the same offset: joins them in that order. */
function mergeAtSameOffset(splices: readonly Splice[]): Splice[] {
  const [a, b] = splices;
  if (a !== undefined && b !== undefined && a.start === b.start)
    return [{ start: a.start, end: b.end, text: a.text + b.text }];
  return [...splices];
}
