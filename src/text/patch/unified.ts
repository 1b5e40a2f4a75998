/** A plain unified diff, as `git diff` and `diff -u` write it, read into the same operations. */
import { readHunks } from './hunks.ts';
import { MARK, type Hunk, type PatchOperation } from './operation.ts';
import { syntaxFault } from './syntax.ts';

/** Whether a text without a Begin line is a unified diff. */
export function looksUnified(lines: readonly string[]): boolean {
  return lines.some((_, i) => startsFile(lines, i) || startsRename(lines, i));
}

/** One file of a diff: what stands above its hunks. */
interface FileHeader {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  /** The first line of its hunks, and the line behind them. */
  readonly start: number;
  readonly end: number;
}

export function readUnified(lines: string[]): PatchOperation[] {
  const binary = lines.findIndex((line) => /^(?:GIT binary patch|Binary files .* differ)$/u.test(line));
  if (binary >= 0) throw syntaxFault(binary, 'is a change of a binary file', 'a patch can change text only');
  return fileHeaders(lines).map((header) => operationOf(lines, header));
}

function fileHeaders(lines: readonly string[]): FileHeader[] {
  const headers: FileHeader[] = [];
  const starts = lines.flatMap((_, i) => (startsFile(lines, i) || startsRename(lines, i) ? [i] : []));
  for (const [n, at] of starts.entries()) {
    const end = endOfFile(lines, at + 2, starts[n + 1] ?? lines.length);
    if (startsFile(lines, at)) {
      const from = nameIn(lines[at]!.slice(4));
      const to = nameIn(lines[at + 1]!.slice(4));
      const [a, b] = withoutPrefixes(from, to);
      const renamed = headers.at(-1);
      // A rename with hunks names the file twice; the second time only adds the hunks.
      if (renamed !== undefined && renamed.from === a && renamed.to === b && a !== b && renamed.start === renamed.end)
        headers.pop();
      headers.push({ line: at + 1, from: a, to: b, start: at + 2, end });
    } else
      headers.push({ line: at + 1, from: renameName(lines[at]!), to: renameName(lines[at + 1]!), start: end, end });
  }
  return headers;
}

function operationOf(lines: string[], { line, from, to, start, end }: FileHeader): PatchOperation {
  if (to === '/dev/null') return { kind: 'delete', line, path: from };
  const hunks = readHunks({ lines, at: start, until: end, lastEnd: -1 });
  if (from === '/dev/null') return { kind: 'add', line, path: to, content: contentOf(hunks) };
  return { kind: 'update', line, path: from, moveTo: from === to ? undefined : to, hunks };
}

function contentOf(hunks: readonly Hunk[]): string {
  const added = hunks.flatMap(({ body }) => body.filter((line) => line.charCodeAt(0) === MARK.added));
  if (added.length === 0) return '';
  return added.map((line) => line.slice(1)).join('\n') + (hunks.at(-1)?.newUnended === true ? '' : '\n');
}

function startsFile(lines: readonly string[], i: number): boolean {
  return (
    lines[i]!.startsWith('--- ') &&
    lines[i + 1]?.startsWith('+++ ') === true &&
    (lines[i + 2]?.startsWith('@@ -') === true || lines[i + 1]!.startsWith('+++ /dev/null'))
  );
}

function startsRename(lines: readonly string[], i: number): boolean {
  return lines[i]!.startsWith('rename from ') && lines[i + 1]?.startsWith('rename to ') === true;
}

function renameName(line: string): string {
  return nameIn(line.replace(/^rename (?:from|to) /u, ''));
}

/** The lines of a diff between two files belong to neither. */
function endOfFile(lines: readonly string[], from: number, until: number): number {
  for (let i = from; i < until; i++) if (lines[i]!.startsWith('diff --git ')) return i;
  return until;
}

/** A file name as diffs write it: a time may follow behind a tab, and git quotes what is not plain. */
function nameIn(field: string): string {
  const name = field.split('\t')[0]!.trimEnd();
  if (!/^".*"$/u.test(name)) return name;
  const bytes: number[] = [];
  for (const [piece, octal, simple] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else bytes.push(...new TextEncoder().encode(simple === undefined ? piece : (ESCAPES[simple] ?? simple)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** `a/` and `b/` are not part of the names, when both sides have them. */
function withoutPrefixes(from: string, to: string): readonly [string, string] {
  const none = '/dev/null';
  if (!(from === none || from.startsWith('a/')) || !(to === none || to.startsWith('b/'))) return [from, to];
  return [from === none ? from : from.slice(2), to === none ? to : to.slice(2)];
}
