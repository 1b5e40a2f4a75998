/**
 * Edits of a file that is too large to decode: searches window by window for the exact bytes, or the same with other line
 * endings. The other match levels need the whole text in memory.
 */
import { decodeText, encodeText } from '../lines/bytes.ts';
import type { Eol } from '../lines/eol.ts';
import type { Splice } from '../lines/splice.ts';
import { diffName, unifiedDiff } from '../lines/unified.ts';
import { type ByteSource, readRange } from '../scan/source.ts';
import { cleanEdit, type Edit } from './clean-edit.ts';
import { cutDiff, firstDifference } from './diff.ts';
import { MOST_MATCHES } from './find.ts';
import type { Level } from './levels.ts';
import { MOST_REPLACED, type Refused } from './plan.ts';
import { searchBytes } from './search.ts';
import { type ByteSplice, encodingOf } from './decoded-file.ts';

export interface BigPlan {
  readonly ok: true;
  readonly splices: readonly ByteSplice[];
  /** The line of each splice. */
  readonly lines: readonly number[];
  /** The match level of each edit. */
  readonly levels: readonly Level[];
}

/** One occurrence of an old text, and its replacement. */
interface Span extends ByteSplice {
  readonly line: number;
  /** False when the new text equals the old one. */
  readonly changes: boolean;
}

interface Found {
  readonly level: Level;
  readonly spans: readonly Span[];
}

/** Undefined when one of the edits is not found this way. */
export function planBigFile(source: ByteSource, edits: readonly Edit[]): BigPlan | Refused | undefined {
  const all: Found[] = [];
  const isInside = (piece: string): boolean =>
    searchBytes(source, encodeText(piece), 1, 2).places.some((place) => place > 0);
  for (const [edit, asked] of edits.map((one) => cleanEdit(one, isInside)).entries()) {
    const found = find(source, asked);
    if (found === undefined) return undefined;
    if (found.spans.length > MOST_REPLACED) return { ok: false, edit, reason: 'too-many', most: MOST_REPLACED };
    if (found.spans.length > 1 && !asked.replaceAll) {
      const lines = found.spans.map(({ line }) => line);
      return { ok: false, edit, reason: 'ambiguous', level: found.level, lines, more: lines.length >= MOST_MATCHES };
    }
    all.push(found);
  }
  const spans = all
    .flatMap(({ spans: places }, edit) => places.map((span) => ({ ...span, edit })))
    .sort((a, b) => a.start - b.start);
  for (const [i, span] of spans.entries()) {
    const next = spans[i + 1];
    if (next === undefined || next.start >= span.end) continue;
    const [edit, other] = [span.edit, next.edit].sort((a, b) => a - b) as [number, number];
    return { ok: false, edit, reason: 'overlap', other, line: next.line };
  }
  const changing = spans.filter(({ changes }) => changes);
  return {
    ok: true,
    splices: changing.map(({ start, end, bytes }) => ({ start, end, bytes })),
    lines: changing.map(({ line }) => line),
    levels: all.map(({ level }) => level),
  };
}

function find(source: ByteSource, asked: Edit): Found | undefined {
  const { oldText, newText, replaceAll } = asked;
  const endings = new NearEndings(source);
  const exact = spansOf(source, oldText, asked, (place) =>
    oldText.includes('\n') || newText.includes('\r') ? newText : newText.replaceAll('\n', endings.at(place)),
  );
  const hasOther = oldText.includes('\n') && oldText.trim() !== '';
  if (!hasOther || (exact.length > 0 && !replaceAll))
    return exact.length === 0 ? undefined : { level: 'exact', spans: exact };
  const others = (['\n', '\r\n'] as const)
    .filter((eol) => withEndings(oldText, eol) !== oldText)
    .flatMap((eol) => spansOf(source, withEndings(oldText, eol), asked, () => withEndings(newText, eol)));
  const spans = joined([...exact, ...others], replaceAll === true);
  if (spans.length > exact.length) return { level: 'line-endings', spans };
  return exact.length === 0 ? undefined : { level: 'exact', spans: exact };
}

/** The occurrences of one spelling of an old text. */
function spansOf(
  source: ByteSource,
  old: string,
  { newText, replaceAll }: Edit,
  putAt: (place: number) => string,
): Span[] {
  const needle = encodeText(old);
  const { places, lines } = replaceAll
    ? searchBytes(source, needle, needle.length, MOST_REPLACED + 1)
    : searchBytes(source, needle, 1, MOST_MATCHES);
  // Equal texts are encoded once, because there may be very many occurrences.
  const encoded = new Map<string, Uint8Array>();
  return places.map((start, i) => {
    const put = newText === '' ? '' : putAt(start);
    const bytes = encoded.get(put) ?? encodeText(put);
    encoded.set(put, bytes);
    return { start, end: start + needle.length, bytes, line: lines[i]!, changes: put !== old };
  });
}

/** The occurrences of several spellings, in order. One inside another is dropped; with `disjoint`, also one that overlaps. */
function joined(spans: readonly Span[], disjoint: boolean): readonly Span[] {
  const ordered = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let end = -1;
  return ordered.filter((span) => {
    if (disjoint ? span.start < end : span.end <= end) return false;
    end = Math.max(end, span.end);
    return true;
  });
}

function withEndings(text: string, eol: string): string {
  return text.replaceAll(/\r?\n/gu, eol);
}

const AROUND = 4096;
const MOST_SHOWN = 20;

/** The diff of a plan; reads only the surroundings of its splices. */
export function describeBigPlan(
  name: string,
  source: ByteSource,
  { splices, lines }: BigPlan,
): { readonly diff: string; readonly firstChangedLine: number | undefined } {
  if (splices.length === 0) return { diff: '', firstChangedLine: undefined };
  const shown = splices.slice(0, MOST_SHOWN);
  const pieces = groupsOf(shown).map((group) => readAround(source, group));
  let diff = `--- ${diffName(name)}\n+++ ${diffName(name)}\n`;
  let growth = 0;
  let shownSplices = 0;
  for (const { text, inText } of pieces) {
    const base = lines[shownSplices]! - 1 - newlines(text.slice(0, inText[0]!.start));
    shownSplices += inText.length;
    const hunks = unifiedDiff(name, text, inText).replace(/^---.*\n\+\+\+.*\n/u, '');
    diff += hunks.replaceAll(
      /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/gmu,
      (_, a: string, b: string, c: string, d: string) =>
        `@@ -${Number(a) + base},${b} +${Number(c) + base + growth},${d} @@`,
    );
    growth += inText.reduce(
      (sum, { start, end, text: put }) => sum + newlines(put) - newlines(text.slice(start, end)),
      0,
    );
  }
  const { text, inText } = pieces[0]!;
  const changed = text.slice(inText[0]!.start, firstDifference(text, inText));
  return {
    diff: cutDiff(diff, splices.length - shown.length),
    firstChangedLine: lines[0]! + newlines(changed),
  };
}

/** Groups splices whose surroundings meet. */
function groupsOf(splices: readonly ByteSplice[]): ByteSplice[][] {
  const groups: ByteSplice[][] = [];
  for (const splice of splices) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && splice.start - last.end < 2 * AROUND) groups.at(-1)?.push(splice);
    else groups.push([splice]);
  }
  return groups;
}

/** The lines around splices as text, with the splices relative to it. */
function readAround(
  source: ByteSource,
  group: readonly ByteSplice[],
): { readonly text: string; readonly inText: readonly Splice[] } {
  const first = group[0]!.start;
  const behind = group[group.length - 1]!.end;
  const from = Math.max(0, first - AROUND);
  const around = readRange(source, from, behind + AROUND);
  // A line that is longer than AROUND is cut in the middle.
  const newline = from === 0 ? 0 : around.indexOf(10) + 1;
  const inLine = newline > first - from ? 0 : newline;
  const { bom } = encodingOf(around);
  const begin = from === 0 ? Math.min(bom, first) : inLine;
  const last = from + around.length < source.size ? around.lastIndexOf(10) + 1 : around.length;
  const end = last > behind - from ? last : around.length;
  const lengthUpTo = (place: number): number => decodeText(around.subarray(begin, place - from)).length;
  return {
    text: decodeText(around.subarray(begin, end)),
    inText: group.map(({ start, end: until, bytes }) => ({
      start: lengthUpTo(start),
      end: lengthUpTo(until),
      text: decodeText(bytes),
    })),
  };
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** How far to search for a line ending: first near, then at most this far. */
const STEPS = [0x200, 0x1_0000] as const;
const LF = 10;
const CR = 13;

/** Line endings near places of a large source; reads only a little of it. */
class NearEndings {
  private readonly source: ByteSource;
  /** The ending for every place from `from` to `until`. */
  private known: { readonly from: number; readonly until: number; readonly eol: Eol } | undefined;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** The ending of the line at a place; if that line ends too far away, the ending of the line before. */
  at(place: number): Eol {
    const { known } = this;
    if (known !== undefined && place >= known.from && place <= known.until) return known.eol;
    this.known = this.behind(place) ?? this.before(place);
    return this.known.eol;
  }

  private behind(place: number): NonNullable<NearEndings['known']> | undefined {
    for (const step of STEPS) {
      // One byte more before the place, which may be between CR and LF.
      const from = Math.max(0, place - 1);
      const bytes = readRange(this.source, from, place + step);
      const newline = bytes.indexOf(LF, place - from);
      if (newline >= 0) return { from: place, until: from + newline, eol: bytes[newline - 1] === CR ? '\r\n' : '\n' };
    }
    return undefined;
  }

  private before(place: number): NonNullable<NearEndings['known']> {
    const [, far] = STEPS;
    const bytes = readRange(this.source, Math.max(0, place - far), place);
    const newline = bytes.lastIndexOf(LF);
    // Half of the searched range has no ending, so very long lines are not searched again at every place.
    return { from: place, until: place + far / 2, eol: bytes[newline - 1] === CR ? '\r\n' : '\n' };
  }
}
