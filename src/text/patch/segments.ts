/** Turns changed lines into splices of the text, with line endings and the end of the file. */
import type { Splice } from '../lines/splice.ts';
import { MARK } from './operation.ts';
import { endingAt, type LineTable } from './line-table.ts';

/** The lines [from, to) are replaced by the added ones. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  /** The added lines, each with its ending. */
  readonly added: string;
  /** The ending of the last one. */
  readonly lastEnding: string;
  /** Whether the file must end with a newline; undefined where the patch does not specify it. */
  readonly ended: boolean | undefined;
}

/** The changed runs of a hunk at `start`. */
export function segmentsOf(
  table: LineTable,
  body: readonly string[],
  start: number,
  ended: boolean | undefined,
): Segment[] {
  const segments: Segment[] = [];
  let at = start;
  for (let i = 0; i < body.length; ) {
    if (!isChange(body[i]!)) {
      at++;
      i++;
      continue;
    }
    const from = at;
    const first = i;
    for (; i < body.length && isChange(body[i]!); i++) if (body[i]!.charCodeAt(0) === MARK.removed) at++;
    segments.push(segmentOf(table, body, first, i, { from, to: at, ended }));
  }
  return segments;
}

/** Collects the lines that a run of the body adds. */
function segmentOf(
  table: LineTable,
  body: readonly string[],
  first: number,
  behind: number,
  { from, to, ended }: Pick<Segment, 'from' | 'to' | 'ended'>,
): Segment {
  let added = '';
  let lastEnding = '';
  let line = from;
  for (let i = first; i < behind; i++) {
    if (body[i]!.charCodeAt(0) === MARK.removed) continue;
    lastEnding = endingFor(table, from, to, line++);
    added += body[i]!.slice(1) + lastEnding;
  }
  return { from, to, added, lastEnding, ended };
}

function isChange(line: string): boolean {
  const mark = line.charCodeAt(0);
  return mark === MARK.removed || mark === MARK.added;
}

/** A new line gets the ending of the line that it replaces; a further one that of its neighbor. */
function endingFor(table: LineTable, from: number, to: number, line: number): string {
  const own = line < to ? endingAt(table, line) : '';
  return own === '' ? usualEnding(table, to > from ? to - 1 : from - 1) : own;
}

/** The ending of a line or, where it has none, of a line near it. */
function usualEnding(table: LineTable, near: number): string {
  for (const line of [near, near - 1, near + 1, 0]) {
    const ending = line >= 0 && line < table.count ? endingAt(table, line) : '';
    if (ending !== '') return ending;
  }
  return '\n';
}

/** Undefined when two segments overlap. */
export function splicesOf(table: LineTable, segments: readonly Segment[]): Splice[] | undefined {
  const ordered = segments.toSorted((a, b) => a.from - b.from || a.to - b.to);
  const splices: Splice[] = [];
  for (let i = 0; i < ordered.length; ) {
    const first = ordered[i]!;
    let { to } = first;
    let next = i + 1;
    for (; next < ordered.length && ordered[next]!.from <= to; next++) {
      if (ordered[next]!.from < to) return undefined;
      to = ordered[next]!.to;
    }
    const splice = spliceOf(table, next === i + 1 ? first : joined(ordered.slice(i, next), to));
    if (table.text.slice(splice.start, splice.end) !== splice.text) splices.push(splice);
    i = next;
  }
  return splices;
}

/** Joins adjacent segments, so that the end of the file is handled once. */
function joined(touching: readonly Segment[], to: number): Segment {
  return {
    from: touching[0]!.from,
    to,
    added: touching.map(({ added }) => added).join(''),
    lastEnding: touching.findLast(({ added }) => added !== '')?.lastEnding ?? '',
    ended: touching.findLast(({ ended }) => ended !== undefined)?.ended,
  };
}

function spliceOf(table: LineTable, segment: Segment): Splice {
  const { starts, ends, count, text } = table;
  const { from, to, lastEnding, ended } = segment;
  // The byte order mark stays before the first line, so a patch that writes it with the line does not add it.
  const added = from === 0 && starts[0] === 1 ? segment.added.replace(/^\uFEFF/u, '') : segment.added;
  const splice = { start: starts[from]!, end: starts[to]!, text: added };
  if (to < count) return splice;
  const unended = count > 0 && ends[count - 1] === text.length;
  const wanted = ended ?? !unended;
  if (added === '') {
    // The new last line keeps the earlier end of the file, with or without a newline.
    return wanted || from === 0 ? splice : { ...splice, start: ends[from - 1]! };
  }
  const lead = from === count && unended ? usualEnding(table, count - 1) : '';
  return { ...splice, text: lead + (wanted ? added : added.slice(0, added.length - lastEnding.length)) };
}
