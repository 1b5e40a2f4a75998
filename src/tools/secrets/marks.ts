/** New content that holds what `read` shows instead of content: written back, it would replace values by their marks. */
import { Fault } from '../../base/fault.ts';
import { HIDDEN, HIDDEN_NOTICE, type HiddenPart, redacted } from './redact.ts';
import { wayToChange } from './secrets.ts';

/** A key whose whole value is the mark, in quotes or not. */
const MARKED = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?:=|:(?=\s))\s*(["'`]?)\*\*\*\2\s*(?:#.*)?$/u;
/** The last line of a page of `read`. */
const PAGE_NOTICE = /^\[(?:Showing (?:lines \d+-\d+|a part of line \d+) of |\d+ more lines? in file\. Use ).*\]$/u;

/**
 * Refuses new content of a file with secrets that has marks where the file has values, or the line that `read` puts below.
 * `old` is what the file has now; undefined when there is no file.
 */
export function refuseMarks(name: string, part: HiddenPart, old: string | undefined, next: string): void {
  const lines = linesOf(next);
  const before = linesOf(old ?? '');
  if (old !== undefined && next.includes(HIDDEN)) refuseLost(name, redacted(old, part).text.split('\n'), before, lines);
  if (lines.includes(HIDDEN_NOTICE) && !before.includes(HIDDEN_NOTICE)) throw notContent(name, HIDDEN_NOTICE);
}

function refuseLost(name: string, shown: readonly string[], before: readonly string[], lines: readonly string[]): void {
  const hidden = new Set(shown.filter((line, i) => line !== before[i]));
  const keys = new Set([...hidden].flatMap((line) => MARKED.exec(line)?.[1] ?? []));
  const kept = new Set(before);
  const marked = lines.filter((line) => !kept.has(line) && isMark(line, hidden, keys));
  if (marked.length === 0) return;
  const lost = [...new Set(marked.map((line) => MARKED.exec(line)?.[1] ?? line.trim()))];
  throw new Fault('EDIT_MARKS', `the new content of ${name} has ${HIDDEN} where the file has a value: ${some(lost)}`, {
    hint: `${HIDDEN} stands for a value that is not shown; ${wayToChange(
      name,
      lost.find((key) => keys.has(key)),
    )}`,
    details: { path: name, keys: lost.filter((key) => keys.has(key)) },
  });
}

/** Refuses content that ends with the line that `read` puts below a page: the rest of the file would be lost. */
export function refusePageNotice(name: string, old: () => string, next: string): void {
  const last = linesOf(next.trimEnd()).at(-1) ?? '';
  if (PAGE_NOTICE.test(last) && !linesOf(old()).includes(last)) throw notContent(name, last);
}

function isMark(line: string, hidden: ReadonlySet<string>, keys: ReadonlySet<string>): boolean {
  const key = MARKED.exec(line)?.[1];
  return (key !== undefined && keys.has(key)) || hidden.has(line.trimEnd());
}

function notContent(name: string, line: string): Fault {
  return new Fault('EDIT_MARKS', `the new content of ${name} has a line of read that is no part of the file: ${line}`, {
    hint: `leave that line out, and read the rest of the file first; ${wayToChange(name)}`,
    details: { path: name },
  });
}

function some(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n|\r/u);
}
