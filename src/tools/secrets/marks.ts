/** Refuses new content with marks or notices of `read`: written back, they would replace the hidden values. */
import { Fault } from '../../base/fault.ts';
import { HIDDEN, HIDDEN_NOTICE, type HiddenPart, redacted } from './redact.ts';
import { wayToChange } from './secrets.ts';

/** A line with a hidden value, as `read` shows it. */
const MARKED = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*[=:]\s*\*\*\*$/u;
/** A mark on its own; `a***b` is a value. */
const MARK = /(?<![\w*])\*\*\*(?![\w*])/u;
/** The line number that `read` puts before a line. */
const LINE_NUMBER = /^\s*\d+\t/u;
/** The last line of a page of `read`. */
const PAGE_NOTICE = /^\[(?:Showing (?:lines \d+-\d+|a part of line \d+) of |\d+ more lines? in file\. Use ).*\]$/u;

/**
 * Refuses new content of a file with secrets that has marks in place of values, or the notice of `read`. `old` is the current
 * content; undefined when there is no file.
 */
export function refuseMarks(name: string, part: HiddenPart, old: string | undefined, next: string): void {
  const lines = linesOf(next);
  const before = linesOf(old ?? '');
  if (old !== undefined && lines.some((line) => line.includes(HIDDEN)))
    refuseLost(name, part, { before, shown: linesOf(redacted(before.join('\n'), part).text) }, lines);
  const hasNotice = (line: string): boolean => line.includes(HIDDEN_NOTICE);
  if (lines.some(hasNotice) && !before.some(hasNotice)) throw notContent(name, HIDDEN_NOTICE);
}

interface OldLines {
  readonly before: readonly string[];
  /** The same lines as `read` shows them. */
  readonly shown: readonly string[];
}

function refuseLost(name: string, part: HiddenPart, { before, shown }: OldLines, lines: readonly string[]): void {
  const hidden = shown.filter((line, i) => line !== before[i]);
  if (hidden.length === 0) return;
  // In a file of values every new mark counts, whatever the syntax; a file with a private key may be prose.
  const keyLines = new Set(hidden.map((line) => line.trim()));
  const isMark = (line: string): boolean =>
    part === 'values' ? MARK.test(line) : keyLines.has(line.replace(LINE_NUMBER, '').trim());
  const marked = newLines(before, lines).filter((line) => isMark(line) && !line.includes(HIDDEN_NOTICE));
  if (marked.length === 0) return;
  const keys = new Set(hidden.flatMap((line) => MARKED.exec(line)?.[1] ?? []));
  const keyIn = (line: string): string | undefined => line.split(/[^\w.-]+/u).find((word) => keys.has(word));
  const lost = [...new Set(marked.map((line) => keyIn(line) ?? line.trim()))];
  throw new Fault('EDIT_MARKS', `the new content of ${name} has ${HIDDEN} where the file has a value: ${some(lost)}`, {
    hint: `${HIDDEN} represents a hidden value; ${wayToChange(
      name,
      lost.find((key) => keys.has(key)),
    )}`,
    details: { path: name, keys: lost.filter((key) => keys.has(key)) },
  });
}

/** The lines that the old content does not have, or has less often. */
function newLines(before: readonly string[], lines: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** Refuses content that ends with the page notice of `read`: the rest of the file would be lost. */
export function refusePageNotice(name: string, old: () => string, next: string): void {
  const last = linesOf(next.trimEnd()).at(-1) ?? '';
  if (PAGE_NOTICE.test(last) && !linesOf(old()).includes(last)) throw notContent(name, last);
}

function notContent(name: string, line: string): Fault {
  return new Fault('EDIT_MARKS', `the new content of ${name} has a notice of read that is not in the file: ${line}`, {
    hint: `remove that line, and read the rest of the file first; ${wayToChange(name)}`,
    details: { path: name },
  });
}

function some(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}

/** Drops the zero bytes of UTF-16, which not every file declares. */
function linesOf(text: string): string[] {
  return text.replaceAll('\0', '').split(/\r?\n|\r/u);
}
