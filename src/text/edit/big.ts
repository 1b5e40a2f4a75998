/**
 * Edits of a file that is too large to be decoded: exact bytes, or the same with the other line endings, looked for in
 * windows. Everything else that an edit can be found by needs the text in memory.
 */
import { decodeText, encodeText } from '../lines/bytes.ts';
import type { Splice } from '../lines/splice.ts';
import { unifiedDiff } from '../lines/unified.ts';
import { type ByteSource, readRange } from '../scan/source.ts';
import { cleanEdit, type Edit } from './asked.ts';
import { cutDiff, firstDifference } from './diff.ts';
import { MOST_MATCHES } from './find.ts';
import type { Level } from './levels.ts';
import { MOST_REPLACED, type Refused } from './plan.ts';
import type { ByteSplice } from './source.ts';
import { searchBytes } from './search.ts';

export interface BigPlan {
  readonly ok: true;
  readonly splices: readonly ByteSplice[];
  /** In which line each splice begins. */
  readonly lines: readonly number[];
  /** For each edit how its text was found. */
  readonly levels: readonly Level[];
}

interface Found {
  readonly edit: number;
  readonly level: Level;
  readonly places: readonly number[];
  readonly lines: readonly number[];
  readonly length: number;
  readonly put: Uint8Array;
  /** False when the new text is the old one. */
  readonly changes: boolean;
}

/** The splices of all edits; undefined when one of them is not found this way. */
export function planBig(source: ByteSource, edits: readonly Edit[]): BigPlan | Refused | undefined {
  const all: Found[] = [];
  for (const [edit, asked] of edits.map(cleanEdit).entries()) {
    const found = find(source, edit, asked);
    if (found === undefined) return undefined;
    if (found.places.length > MOST_REPLACED) return { ok: false, edit, reason: 'too-many', most: MOST_REPLACED };
    if (found.places.length > 1 && !asked.replaceAll) {
      const { lines } = found;
      return { ok: false, edit, reason: 'ambiguous', level: found.level, lines, more: lines.length >= MOST_MATCHES };
    }
    all.push(found);
  }
  const spans = all
    .flatMap(({ edit, places, lines, length, put }) =>
      places.map((start, i) => ({ edit, start, end: start + length, bytes: put, line: lines[i]! })),
    )
    .sort((a, b) => a.start - b.start);
  for (const [i, span] of spans.entries()) {
    const next = spans[i + 1];
    if (next === undefined || next.start >= span.end) continue;
    const [edit, other] = [span.edit, next.edit].sort((a, b) => a - b) as [number, number];
    return { ok: false, edit, reason: 'overlap', other, line: next.line };
  }
  const changing = spans.filter(({ edit }) => all[edit]!.changes);
  return {
    ok: true,
    splices: changing.map(({ start, end, bytes }) => ({ start, end, bytes })),
    lines: changing.map(({ line }) => line),
    levels: all.map(({ level }) => level),
  };
}

function find(source: ByteSource, edit: number, { oldText, newText, replaceAll }: Edit): Found | undefined {
  const spellings: readonly (readonly [Level, string, string])[] = [
    ['exact', oldText, newText],
    ...(oldText.includes('\n') && oldText.trim() !== ''
      ? (['\n', '\r\n'] as const).map(
          (eol) => ['line-endings', withEndings(oldText, eol), withEndings(newText, eol)] as const,
        )
      : []),
  ];
  for (const [level, old, put] of spellings) {
    const needle = encodeText(old);
    const { places, lines } = replaceAll
      ? searchBytes(source, needle, needle.length, MOST_REPLACED + 1)
      : searchBytes(source, needle, 1, MOST_MATCHES);
    if (places.length === 0) continue;
    const ended =
      level === 'exact' && !old.includes('\n') && !put.includes('\r') ? likeThe(source, places[0]!, put) : put;
    return { edit, level, places, lines, length: needle.length, put: encodeText(ended), changes: ended !== old };
  }
  return undefined;
}

function withEndings(text: string, eol: string): string {
  return text.replaceAll(/\r?\n/gu, eol);
}

/** How far a line ending is looked for. */
const NEAR = 0x1_0000;

/** New lines at a place where the old text names none get the ending of the line there. */
function likeThe(source: ByteSource, place: number, put: string): string {
  if (!put.includes('\n')) return put;
  const behind = readRange(source, place, place + NEAR);
  const next = behind.indexOf(10);
  const before = readRange(source, Math.max(0, place - NEAR), place);
  const near = next >= 0 ? behind : before;
  const at = next >= 0 ? next : before.lastIndexOf(10);
  return at > 0 && near[at - 1] === 13 ? put.replaceAll('\n', '\r\n') : put;
}

const AROUND = 4096;
const MOST_SHOWN = 20;

/** What a plan does to a large source, to look at; only what stands around its splices is read. */
export function describeBig(
  name: string,
  source: ByteSource,
  { splices, lines }: BigPlan,
): { readonly diff: string; readonly firstChangedLine: number | undefined } {
  if (splices.length === 0) return { diff: '', firstChangedLine: undefined };
  const shown = splices.slice(0, MOST_SHOWN);
  const pieces = groupsOf(shown).map((group) => readAround(source, group));
  let diff = `--- ${name}\n+++ ${name}\n`;
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

/** Splices whose surroundings meet. */
function groupsOf(splices: readonly ByteSplice[]): ByteSplice[][] {
  const groups: ByteSplice[][] = [];
  for (const splice of splices) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && splice.start - last.end < 2 * AROUND) groups.at(-1)?.push(splice);
    else groups.push([splice]);
  }
  return groups;
}

/** The lines around splices as text, with the splices in it. */
function readAround(
  source: ByteSource,
  group: readonly ByteSplice[],
): { readonly text: string; readonly inText: readonly Splice[] } {
  const first = group[0]!.start;
  const behind = group[group.length - 1]!.end;
  const from = Math.max(0, first - AROUND);
  const around = readRange(source, from, behind + AROUND);
  // A line that is longer than what was read begins or ends in its middle here.
  const newline = from === 0 ? 0 : around.indexOf(10) + 1;
  const begin = newline > first - from ? 0 : newline;
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
