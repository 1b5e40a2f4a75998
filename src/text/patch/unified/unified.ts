/** Parses a plain unified diff of `git diff`, `diff -u` or `svn diff` into the same operations. */
import { NO_FILE, nameIn, withoutPrefixes } from './file-names.ts';
import { gitHeaderAt, isPrefixed, onlyName, readGitDetail, type GitHeader } from './git-header.ts';
import { isHeader, markerOf } from '../markers.ts';
import { MARK, type Hunk, type ParsedPatch, type PatchOperation } from '../operation.ts';
import { rangeIn } from '../range.ts';
import { quoted, syntaxFault, type PatchLines } from '../syntax.ts';
import { readUnifiedHunks, startsFile } from './unified-hunks.ts';

export function looksUnified(lines: readonly string[]): boolean {
  return lines.some((_, i) => startsFile(lines, i) || gitHeaderAt(lines, i) !== undefined);
}

export function readUnified(lines: string[]): ParsedPatch {
  const binary = lines.findIndex((line) => /^(?:GIT binary patch|Binary files .* differ)$/u.test(line));
  if (binary >= 0) throw syntaxFault(binary, 'is a change of a binary file', 'a patch can change text only');
  // The newline at the end of the diff does not start another line.
  if (lines.at(-1) === '') lines.pop();
  const source: PatchLines = { lines, at: 0, until: lines.length, lastEnd: -1 };
  const operations: PatchOperation[] = [];
  const warnings: string[] = [];
  const take = (operation: PatchOperation, git: GitHeader | undefined): void => {
    operations.push(operation);
    if (git?.modeChanges === true)
      warnings.push(`the mode of ${operation.path} is unchanged; a patch changes content only`);
  };
  let git: GitHeader | undefined;
  while (source.at < lines.length) {
    const { at } = source;
    if (startsFile(lines, at)) {
      take(readFile(source, git), git);
      git = undefined;
      continue;
    }
    const next = gitHeaderAt(lines, at);
    if (next !== undefined && (next.whole || git === undefined || git.renamedFrom !== undefined)) {
      if (git !== undefined) take(withoutHunks(git), git);
      git = next;
    } else refuseStray(lines[at]!, at);
    if (git !== undefined) readGitDetail(git, lines[at]!, at);
    source.at++;
  }
  if (git !== undefined) take(withoutHunks(git), git);
  return { operations: inOrder(operations), warnings };
}

/** Lines between files are ignored, except for headers and hunks in the wrong place. */
function refuseStray(line: string, at: number): void {
  if (isHeader(markerOf(line)))
    throw syntaxFault(at, 'is a header outside a block', 'put it between *** Begin Patch and *** End Patch');
  if (rangeIn(line) !== undefined)
    throw syntaxFault(at, 'is a hunk without a file', 'put the --- and +++ lines above it');
}

function readFile(source: PatchLines, git: GitHeader | undefined): PatchOperation {
  const { lines, at } = source;
  const line = at + 1;
  const [from, to] = withoutPrefixes(nameIn(lines[at]!.slice(4)), nameIn(lines[at + 1]!.slice(4)), isPrefixed(git));
  source.at += 2;
  const hunks = readUnifiedHunks(source);
  if (git?.renamedFrom !== undefined && git.renamedTo !== undefined)
    return { kind: 'update', line, path: git.renamedFrom, moveTo: git.renamedTo, hunks };
  if (to === NO_FILE) return { kind: 'delete', line, path: from, ...(hunks.length === 0 ? {} : { hunks }) };
  if (from === NO_FILE) return { kind: 'add', line, path: to, content: contentOf(hunks), ...modeOf(git) };
  if (git?.fate !== undefined)
    throw syntaxFault(
      at,
      `names a file that the header above marks as ${git.fate}`,
      `write ${NO_FILE} for the other side`,
    );
  if (from === to) return { kind: 'update', line, path: to, moveTo: undefined, hunks };
  throw syntaxFault(
    at,
    `names two files, ${quoted(from)} and ${quoted(to)}, without a rename`,
    'name the same file twice, or put rename from and rename to lines above it',
  );
}

/** A file without hunks. */
function withoutHunks(git: GitHeader): PatchOperation {
  const { at, renamedFrom, renamedTo, fate } = git;
  const line = at + 1;
  if (renamedFrom !== undefined && renamedTo !== undefined)
    return { kind: 'update', line, path: renamedFrom, moveTo: renamedTo, hunks: [] };
  const path = onlyName(git);
  if (path !== undefined && fate === 'created') return { kind: 'add', line, path, content: '', ...modeOf(git) };
  if (path !== undefined && fate === 'deleted') return { kind: 'delete', line, path, hunks: [] };
  if (path !== undefined && git.modeChanges === true)
    return { kind: 'update', line, path, moveTo: undefined, hunks: [] };
  throw syntaxFault(at, 'names a file without a change', 'put its hunks below it');
}

function modeOf(git: GitHeader | undefined): { readonly mode?: number } {
  return git?.mode === undefined ? {} : { mode: git.mode };
}

function contentOf(hunks: readonly Hunk[]): string {
  const added: string[] = [];
  for (const { body, line } of hunks)
    for (const each of body) {
      if (each.charCodeAt(0) !== MARK.added)
        throw syntaxFault(line - 1, 'has old lines in a new file', `only added lines are allowed below ${NO_FILE}`);
      added.push(each.slice(1));
    }
  if (added.length === 0) return '';
  return added.join('\n') + (hunks.at(-1)?.newUnended === true ? '' : '\n');
}

/**
 * Sorts operations so that no name is used before the file that has it is moved away: a diff describes all files as they were
 * before, and a patch is applied one operation after the other.
 */
function inOrder(operations: readonly PatchOperation[]): readonly PatchOperation[] {
  const movers = new Map(operations.filter(isMove).map((each) => [each.path, each]));
  const done = new Set<PatchOperation>();
  for (const operation of operations) {
    const waiting = new Set<PatchOperation>();
    for (let next: PatchOperation | undefined = operation; next !== undefined && !done.has(next); ) {
      if (waiting.has(next))
        throw syntaxFault(
          next.line - 1,
          `moves ${quoted(next.path)} in a cycle of renames`,
          'use *** Move File, and move one of the files to a temporary name first',
        );
      waiting.add(next);
      const name = takenBy(next);
      next = name === undefined ? undefined : movers.get(name);
    }
    for (const each of [...waiting].toReversed()) done.add(each);
  }
  return [...done];
}

function isMove(operation: PatchOperation): boolean {
  return operation.kind === 'update' && operation.moveTo !== undefined && operation.moveTo !== operation.path;
}

/** The new name that an operation creates. */
function takenBy(operation: PatchOperation): string | undefined {
  if (operation.kind === 'add') return operation.path;
  return operation.kind === 'update' ? operation.moveTo : undefined;
}
