/** What git says of a file above its hunks, or without any: new, deleted, renamed, another mode. */
import { bothNames, nameIn, withoutPrefixes } from './file-names.ts';
import { quoted, syntaxFault } from './syntax.ts';

export interface GitHeader {
  /** Where it starts, from 0. */
  readonly at: number;
  /** Whether it starts with its `diff --git` line; our own diffs leave it out above a rename. */
  readonly whole: boolean;
  /** The names on the `diff --git` line, as far as they can be told apart. */
  readonly names: readonly [string, string] | undefined;
  renamedFrom?: string;
  renamedTo?: string;
  /** What happens to the file as a whole. */
  fate?: 'created' | 'deleted';
  mode?: number;
  modeChanges?: boolean;
}

const START = /^diff --git (.+)$/su;
const DETAIL = /^(rename from|rename to|copy from|copy to|new file mode|deleted file mode|old mode|new mode) (.+)$/su;

/** The header that a line opens. A rename may come without its first line. */
export function gitHeaderAt(lines: readonly string[], at: number): GitHeader | undefined {
  const start = START.exec(lines[at]!);
  if (start !== null) return { at, whole: true, names: bothNames(start[1]!) };
  const renames = lines[at]!.startsWith('rename from ') && lines[at + 1]?.startsWith('rename to ') === true;
  return renames ? { at, whole: false, names: undefined } : undefined;
}

/** Notes what one line below the first says; lines without news are passed over. */
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
    default: // index, similarity, and whatever git will add
  }
}

/** Git knows two modes of files; everything else is no file. */
function modeIn(value: string, at: number): number {
  const mode = Number.parseInt(value.trim(), 8);
  if (mode >> 12 === 0o10 && /^[0-7]{6}$/u.test(value.trim())) return mode & 0o777;
  if (/^1[26]0000$/u.test(value.trim()))
    throw syntaxFault(at, 'is about a link or a submodule', 'a patch can change files only');
  throw syntaxFault(at, `has no mode of a file: ${quoted(value)}`, 'git writes 100644 or 100755');
}

/** Whether the names have prefixes, as far as the first line tells. */
export function isPrefixed(header: GitHeader | undefined): boolean {
  return header?.names === undefined || header.names[0] !== header.names[1];
}

/** The one name of a file that keeps it; undefined when the first line names two. */
export function onlyName({ names }: GitHeader): string | undefined {
  if (names === undefined) return undefined;
  const [from, to] = withoutPrefixes(...names);
  return from === to ? from : undefined;
}
