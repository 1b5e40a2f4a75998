/** The git header of a file, with or without hunks below it: new, deleted, renamed, or another mode. */
import { bothNames, nameIn, withoutPrefixes } from './file-names.ts';
import { quoted, syntaxFault } from '../syntax.ts';

export interface GitHeader {
  /** The index of its first line. */
  readonly at: number;
  /** Whether it starts with a `diff --git` line; diffs of pincer omit it above a rename. */
  readonly whole: boolean;
  /** The names on the `diff --git` line, if they can be separated. */
  readonly names: readonly [string, string] | undefined;
  renamedFrom?: string;
  renamedTo?: string;
  fate?: 'created' | 'deleted';
  mode?: number;
  modeChanges?: boolean;
}

const START = /^diff --git (.+)$/su;
const DETAIL = /^(rename from|rename to|copy from|copy to|new file mode|deleted file mode|old mode|new mode) (.+)$/su;

/** The header that begins at a line. A rename may come without its first line. */
export function gitHeaderAt(lines: readonly string[], at: number): GitHeader | undefined {
  const start = START.exec(lines[at]!);
  if (start !== null) return { at, whole: true, names: bothNames(start[1]!) };
  const renames = lines[at]!.startsWith('rename from ') && lines[at + 1]?.startsWith('rename to ') === true;
  return renames ? { at, whole: false, names: undefined } : undefined;
}

/** Reads one further line of a header; other lines are ignored. */
export function readGitDetail(header: GitHeader, line: string, at: number): void {
  const [, word, value] = DETAIL.exec(line) ?? [];
  switch (word) {
    case 'rename from':
      header.renamedFrom = nameIn(value!);
      return;
    case 'rename to':
      header.renamedTo = nameIn(value!);
      return;
    case 'copy from':
    case 'copy to':
      throw syntaxFault(at, 'copies a file', 'write the copy as a new file, with all of its lines');
    case 'new file mode':
      header.fate = 'created';
      if (modeIn(value!, at) === 0o755) header.mode = 0o755;
      return;
    case 'deleted file mode':
      header.fate = 'deleted';
      modeIn(value!, at);
      return;
    case 'old mode':
    case 'new mode':
      modeIn(value!, at);
      header.modeChanges = true;
      return;
    default: // index, similarity, and future additions
  }
}

/** Git has two file modes; any other mode is not a file. */
function modeIn(value: string, at: number): number {
  const mode = Number.parseInt(value.trim(), 8);
  if (mode >> 12 === 0o10 && /^[0-7]{6}$/u.test(value.trim())) return mode & 0o777;
  if (/^1[26]0000$/u.test(value.trim()))
    throw syntaxFault(at, 'is about a symlink or a submodule', 'a patch can change files only');
  throw syntaxFault(at, `is not a file mode: ${quoted(value)}`, 'git writes 100644 or 100755');
}

/** Whether the names have prefixes; true if unknown. */
export function isPrefixed(header: GitHeader | undefined): boolean {
  return header?.names === undefined || header.names[0] !== header.names[1];
}

/** The name of a file that is not renamed; undefined when the first line has two names. */
export function onlyName({ names }: GitHeader): string | undefined {
  if (names === undefined) return undefined;
  const [from, to] = withoutPrefixes(...names);
  return from === to ? from : undefined;
}
