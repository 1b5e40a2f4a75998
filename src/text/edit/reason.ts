/** Names the difference between an old text and the source, if it is a common one. */
import { positionAt } from '../lines/position.ts';
import { indentOf } from './indent.ts';

export interface Reason {
  readonly text: string;
  readonly line?: number;
}

const NUMBERED = /^\s*\d+\s*(?:\t|\||:|\u2192|\u2502)/u;

/** `shift` is the line offset of the most similar passage. */
export function reasonFor(
  text: string,
  oldText: string,
  lines: readonly string[],
  old: readonly string[],
  shift: number | undefined,
): Reason | undefined {
  const filled = old.filter((line) => line.trim() !== '');
  if (filled.length > 0 && filled.every((line) => NUMBERED.test(line)))
    return { text: 'oldText contains line numbers, which are not part of the file' };
  return (
    ifSpelled(
      text,
      unescaped(oldText),
      oldText,
      'oldText has escaped backslashes, quotes or line breaks where the file has plain ones',
    ) ??
    ifSpelled(
      text,
      oldText.replaceAll('\\', '\\\\'),
      oldText,
      'the file has doubled backslashes where oldText has single ones',
    ) ??
    ifSpelled(
      text,
      oldText.trim(),
      oldText,
      'oldText has whitespace or empty lines at its start or end that the file does not have',
    ) ??
    otherEncoding(text, oldText) ??
    ofLines(lines, old, shift)
  );
}

/** The reason, if the file contains another spelling of the old text. */
function ifSpelled(text: string, spelled: string, oldText: string, reason: string): Reason | undefined {
  if (spelled === oldText || spelled === '') return undefined;
  const at = text.indexOf(spelled);
  return at < 0
    ? undefined
    : { text: `${reason} (line ${positionAt(text, at).line})`, line: positionAt(text, at).line };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(text: string): string {
  return text.replaceAll(/\\([nrt"'`\\])/gu, (_, letter: string) => ESCAPES[letter] ?? letter);
}

/** The read tool shows other encodings as text; an edit works on their bytes. */
function otherEncoding(text: string, oldText: string): Reason | undefined {
  if (!/[\u0080-\uFFFF]/.test(oldText) || !/[\uDC80-\uDCFF]/u.test(text)) return undefined;
  return { text: 'the file is not entirely UTF-8 and oldText is not entirely ASCII; choose a piece of plain ASCII' };
}

function ofLines(lines: readonly string[], old: readonly string[], shift: number | undefined): Reason | undefined {
  if (shift === undefined) return undefined;
  const pairs = old.map((line, i) => [line, lines[shift + i]] as const).filter(([line, theirs]) => line !== theirs);
  const [first] = pairs;
  if (first?.[1] === undefined) return { text: 'oldText continues after the end of the file' };
  const every = (same: (ours: string, theirs: string) => boolean): boolean =>
    pairs.every(([ours, theirs]) => theirs !== undefined && same(ours, theirs));
  if (every((ours, theirs) => ours.trim() === theirs.trim())) return { text: indentReason(first[0], first[1]) };
  if (every((ours, theirs) => ours.toLowerCase() === theirs.toLowerCase()))
    return { text: 'upper and lower case differ' };
  if (every((ours, theirs) => ours.replaceAll(/\s+/gu, '') === theirs.replaceAll(/\s+/gu, '')))
    return { text: 'only whitespace differs' };
  return undefined;
}

function indentReason(ours: string, theirs: string): string {
  const wanted = indentOf(ours);
  const there = indentOf(theirs);
  if (there.includes('\t') && !wanted.includes('\t')) return 'the file is indented with tabs, oldText with spaces';
  if (wanted.includes('\t') && !there.includes('\t')) return 'the file is indented with spaces, oldText with tabs';
  return wanted === there ? 'whitespace at the end of a line differs' : 'the indentation differs';
}
