/** The text of a file as the tool `read` shows it, in windows of whole lines. */
import { CallError } from '../../socket/calls.ts';
import { readDetails } from './answers.ts';
import { callTool } from './operator-tool.ts';

export interface Source {
  readonly lines: readonly string[];
  /** The number of the first line. */
  readonly from: number;
  /** Absent where the tool did not count. */
  readonly total?: number | undefined;
  /** How many values are hidden. */
  readonly redacted: number;
}

/** Lines in one window. */
export const WINDOW = 1000;
/** Lines before a line that is not in the first window. */
const BEFORE = 200;

/** The window that has the line. */
export function windowStart(line: number): number {
  return line <= WINDOW - BEFORE ? 1 : line - BEFORE;
}

export async function loadSource(file: string, from: number, signal?: AbortSignal): Promise<Source> {
  // A name that begins with `~/`, `@` or `file:` means something else to the tool.
  const args = { path: `./${file}`, offset: from, limit: WINDOW };
  const { text, details } = await callTool('read', args, readDetails, signal);
  if (details.kind !== 'text' || details.lines === undefined)
    throw new CallError({
      code: 'PAGE_NOT_TEXT',
      message: `${file} is not a text file`,
      hint: `it is of the kind ${details.kind}`,
    });
  return { ...sourceOf(text, details.lines), total: details.totalLines, redacted: details.redacted ?? 0 };
}

/** The tool adds its notices after the lines. */
export function sourceOf(text: string, { from, to }: { readonly from: number; readonly to: number }) {
  return { lines: text.split('\n').slice(0, Math.max(0, to - from + 1)), from: Math.max(1, from) };
}

/** Longer lines are cut on the page. */
export const LONGEST_LINE = 2000;

export interface LinePart {
  readonly text: string;
  readonly isMarked: boolean;
}

interface Range {
  readonly start: { readonly line: number; readonly column: number };
  readonly end?: { readonly line: number; readonly column: number } | undefined;
}

/** A line in parts: before, inside and after the value. Columns count UTF-16 units from 1. */
export function markedParts(text: string, number: number, { start, end }: Range): readonly LinePart[] {
  if (end === undefined || number < start.line || number > end.line) return [{ text, isMarked: false }];
  const from = number === start.line ? start.column - 1 : 0;
  const to = number === end.line ? end.column - 1 : text.length;
  return [
    { text: text.slice(0, from), isMarked: false },
    { text: text.slice(from, to), isMarked: true },
    { text: text.slice(to), isMarked: false },
  ].filter((part) => part.text !== '');
}
