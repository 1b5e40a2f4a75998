/** A unified diff of bounded size. */
import { linesOf } from '../lines/position.ts';
import type { Splice } from '../lines/splice.ts';
import { unifiedDiff } from '../lines/unified.ts';
import { lineHunks } from './lcs.ts';

const MOST_CHARACTERS = 32_000;
const MOST_SPLICES = 1000;

export function boundedDiff(name: string, text: string, splices: readonly Splice[]): string {
  const shown = splices.slice(0, MOST_SPLICES);
  return cutDiff(unifiedDiff(name, text, shown), splices.length - shown.length);
}

/** Cuts a diff to a maximum length; `hidden` changes are not in it at all. */
export function cutDiff(diff: string, hidden = 0): string {
  const whole = diff.length <= MOST_CHARACTERS;
  const end = whole ? diff.length : diff.lastIndexOf('\n', MOST_CHARACTERS) + 1 || MOST_CHARACTERS;
  const note =
    whole && hidden === 0 ? '' : `[diff cut: ${diff.length - end} more characters, ${hidden} more changes]\n`;
  const cut = diff.slice(0, end);
  // Bytes that are not UTF-8 have no character.
  return `${cut}${cut === '' || cut.endsWith('\n') ? '' : '\n'}${note}`.replaceAll(/[\uD800-\uDFFF]/gu, '\uFFFD');
}

/** The splices of whole lines that turn one text into another. */
export function lineSplices(before: string, after: string): Splice[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const starts = startsOf(old);
  const newStarts = startsOf(now);
  return lineHunks(old, now).map(({ start, end, newStart, newEnd }) => ({
    start: starts[start]!,
    end: starts[end]!,
    text: after.slice(newStarts[newStart], newStarts[newEnd]),
  }));
}

/** The offset of the first character of the old text that changes. */
export function firstDifference(text: string, splices: readonly Splice[]): number | undefined {
  const first = splices.find(({ start, end, text: put }) => text.slice(start, end) !== put);
  if (first === undefined) return undefined;
  let at = first.start;
  while (at < first.end && text.charCodeAt(at) === first.text.charCodeAt(at - first.start)) at++;
  return at;
}

/** The start of each line, and the end of the last one. */
export function startsOf(lines: readonly string[]): number[] {
  const starts = [0];
  for (const line of lines) starts.push(starts.at(-1) + line.length);
  return starts;
}
