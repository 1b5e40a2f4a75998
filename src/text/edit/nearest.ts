/** The passage that is most similar to a text that was not found, and how it differs. Bounded in time and size. */
import { linesOf } from '../lines/position.ts';
import { indentOf } from './indent.ts';
import { reasonFor } from './reason.ts';

export interface Nearest {
  /** The first line of the source that differs, from 1. */
  readonly line: number;
  /** Numbered lines, the wanted line below the one that differs, and a caret below the first difference. */
  readonly excerpt: string;
  /** The kind of difference, if it is a known one. */
  readonly reason: string | undefined;
}

const MOST_OLD_LINES = 200;
const MOST_SOURCE_LINES = 400_000;
const MOST_COMPARED = 20_000;
const KEY_LENGTH = 200;
const SHOWN_LENGTH = 160;
const AROUND = 2;
const LEAST_SIMILARITY = 0.45;

/** Undefined when nothing is similar. */
export function nearestPassage(text: string, oldText: string): Nearest | undefined {
  if (text === '') return { line: 1, excerpt: '', reason: 'the file is empty; use the write tool' };
  const lines = linesOf(text).slice(0, MOST_SOURCE_LINES).map(withoutEnding);
  const old = linesOf(oldText).slice(0, MOST_OLD_LINES).map(withoutEnding);
  const shift = alignment(lines, old, (line) => line.trim()) ?? alignment(lines, old, keyOf) ?? mostAlike(lines, old);
  const reason = reasonFor(text, oldText, lines, old, shift);
  if (shift === undefined)
    return reason === undefined ? undefined : { line: reason.line ?? 1, excerpt: '', reason: reason.text };
  // Blanks alone would not have prevented a match, so show the first other difference.
  const words = (line: string | undefined): string | undefined => line?.trim().replaceAll(/[ \t]+/gu, ' ');
  const other = old.findIndex((line, i) => words(lines[shift + i]) !== words(line));
  const at = Math.max(0, other < 0 ? old.findIndex((line, i) => lines[shift + i] !== line) : other);
  const line = Math.min(Math.max(0, shift + at), lines.length - 1);
  const wanted = old[at] ?? '';
  const aligned = other < 0 ? wanted : indentOf(lines[line] ?? '') + wanted.trimStart();
  return { line: line + 1, excerpt: excerptOf(lines, line, aligned), reason: reason?.text };
}

/** A line without indentation, spacing, case and quotes. */
function keyOf(line: string): string {
  return line
    .slice(0, KEY_LENGTH)
    .toLowerCase()
    .replaceAll(/[\s"'`\u2018\u2019\u201C\u201D\\;,]+/gu, '');
}

/** The line offset at which most lines of the old text meet lines with the same key. */
function alignment(
  lines: readonly string[],
  old: readonly string[],
  keyOfLine: (line: string) => string,
): number | undefined {
  const wanted = new Map<string, number[]>();
  for (const [i, line] of old.entries()) {
    const key = keyOfLine(line);
    if (key.length < 2) continue;
    const places = wanted.get(key);
    if (places === undefined) wanted.set(key, [i]);
    else if (places.length < 4) places.push(i);
  }
  const votes = new Map<number, number>();
  let best: number | undefined;
  for (const [j, line] of lines.entries()) {
    for (const i of wanted.get(keyOfLine(line)) ?? []) {
      const shift = j - i;
      const count = (votes.get(shift) ?? 0) + 1;
      votes.set(shift, count);
      if (best === undefined || count > votes.get(best)!) best = shift;
    }
  }
  return best;
}

/** The offset at which the longest line of the old text meets the most similar line. */
function mostAlike(lines: readonly string[], old: readonly string[]): number | undefined {
  const anchor = old.reduce((best, line, i) => (line.trim().length > old[best]!.trim().length ? i : best), 0);
  const wanted = pairsOf(keyOf(old[anchor] ?? ''));
  if (wanted.size === 0) return undefined;
  let best: number | undefined;
  let most = LEAST_SIMILARITY;
  let compared = 0;
  for (const [j, line] of lines.entries()) {
    const key = keyOf(line);
    if (key.length * 3 < wanted.size || key.length > wanted.size * 3 + 3) continue;
    if (++compared > MOST_COMPARED) break;
    const similarity = similarityOf(wanted, key);
    if (similarity <= most) continue;
    most = similarity;
    best = j - anchor;
  }
  return best;
}

function pairsOf(key: string): Set<string> {
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < key.length; i++) pairs.add(key.slice(i, i + 2));
  return pairs;
}

/** The Dice coefficient of character pairs. */
function similarityOf(wanted: ReadonlySet<string>, key: string): number {
  const pairs = pairsOf(key);
  let shared = 0;
  for (const pair of pairs) if (wanted.has(pair)) shared++;
  return pairs.size === 0 ? 0 : (2 * shared) / (pairs.size + wanted.size);
}

function excerptOf(lines: readonly string[], line: number, wanted: string): string {
  const from = Math.max(0, line - AROUND);
  const until = Math.min(lines.length, line + AROUND + 1);
  const width = String(until).length;
  const theirs = lines[line] ?? '';
  let column = 0;
  while (column < theirs.length && theirs[column] === wanted[column]) column++;
  // For a difference far to the right, the excerpt starts later in the line.
  const skipped = Math.max(0, column - SHOWN_LENGTH / 2);
  const rows: string[] = [];
  for (let i = from; i < until; i++) {
    rows.push(`${String(i + 1).padStart(width)} | ${shown(lines[i]!, i === line ? skipped : 0)}`);
    if (i !== line) continue;
    const blank = ' '.repeat(width);
    const caret = shown(theirs.slice(0, column), skipped, column).replaceAll(/./gsu, ' ');
    rows.push(`${blank} ? ${shown(wanted, skipped)}`, `${blank}   ${caret}^`);
  }
  return rows.join('\n');
}

/** A line for a message: with visible tabs and control characters, cut to a maximum length. */
function shown(line: string, skipped: number, length = SHOWN_LENGTH): string {
  const piece = line.slice(skipped, skipped + length);
  const visible = piece.replaceAll('\t', '\u2192').replaceAll(/\p{Cc}|\p{Cs}/gu, '\uFFFD');
  return `${skipped > 0 ? '\u2026' : ''}${visible}${line.length > skipped + length ? '\u2026' : ''}`;
}

function withoutEnding(line: string): string {
  if (!line.endsWith('\n')) return line;
  return line.slice(0, line.endsWith('\r\n') ? -2 : -1);
}
