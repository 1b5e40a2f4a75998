/**
 * Parses the text of a patch into operations. Both dialects in one grammar:
 *
 *   patch  := (prose block)+ prose
 *   block  := "*** Begin Patch" ["*** Environment ID: local"] op* "*** End Patch"
 *   op     := "*** Add File: " path (("+" line)* | line*)
 *           | "*** Delete File: " path ("-" line)*
 *           | ("*** Update File: " | "*** Modify File: ") path ["*** Move to: " path] hunk*
 *           | ("*** Move File: " | "*** Rename File: ") path " -> " path hunk*
 *   hunk   := ("@@" [line | range])* ((" " | "-" | "+") line)+ ["*** End of File"]
 *
 * A text without a Begin line may be a plain unified diff.
 */
import { Fault } from '../../base/fault.ts';
import { readAddBody } from './add-body.ts';
import { readHunks } from './hunks.ts';
import { HEADERS, isHeader, markerOf } from './markers.ts';
import type { ParsedPatch, PatchOperation } from './operation.ts';
import { quoted, syntaxFault, type PatchLines } from './syntax.ts';
import { looksUnified, readUnified } from './unified/unified.ts';

/** Throws only faults: PATCH_SYNTAX names the line and what was expected there. */
export function parsePatch(text: string): ParsedPatch {
  const lines = linesOfPatch(text);
  const first = lines.findIndex((line) => markerOf(line)?.kind === 'begin');
  if (first < 0 && looksUnified(lines)) return readUnified(lines);
  if (first < 0)
    throw new Fault('PATCH_SYNTAX', 'the patch has no *** Begin Patch line', {
      hint: 'start it with *** Begin Patch and end it with *** End Patch',
      details: { line: 1 },
    });
  const source: PatchLines = { lines, at: 0, until: lines.length, lastEnd: paddedLastEnd(lines) };
  const operations: PatchOperation[] = [];
  const warnings: string[] = [];
  for (let begin = nextBegin(source, warnings); begin >= 0; begin = nextBegin(source, warnings)) {
    dedent(source, begin);
    source.at = begin + 1;
    readBlock(source, operations);
  }
  return { operations, warnings };
}

/** Without line endings: those of a patch are independent of those of the files. */
function linesOfPatch(text: string): string[] {
  refuseLoneSurrogates(text);
  const lines = text.split(text.includes('\n') ? '\n' : '\r');
  if (text.includes('\r'))
    for (const [i, line] of lines.entries()) if (line.endsWith('\r')) lines[i] = line.slice(0, -1);
  if (lines[0]?.startsWith('\uFEFF') === true) lines[0] = lines[0].slice(1);
  return lines;
}

/** A lone surrogate has no UTF-8 bytes, except those that represent an invalid byte (see text/lines/bytes.ts). */
function refuseLoneSurrogates(text: string): void {
  const found = /[\uD800-\uDC7F\uDD00-\uDFFF]/u.exec(text);
  if (found === null) return;
  const line = text.slice(0, found.index).split('\n').length - 1;
  throw syntaxFault(line, 'contains a lone surrogate', 'send the complete character');
}

/** Finds the next block and warns of skipped lines; -1 when there is none. */
function nextBegin(source: PatchLines, warnings: string[]): number {
  const ignored: number[] = [];
  for (let i = source.at; i < source.lines.length; i++) {
    const line = source.lines[i]!;
    const marker = markerOf(line);
    if (marker?.kind === 'begin') {
      warnOf(ignored, warnings);
      return i;
    }
    if (isHeader(marker))
      throw syntaxFault(i, 'is a header outside a block', 'put it between *** Begin Patch and *** End Patch');
    if (/^\s*cd\s+[^&;|]+&&/u.test(line))
      throw syntaxFault(
        i,
        'changes the folder before the patch',
        'send only the patch, with paths relative to the workspace',
      );
    if (line.trim() !== '' && !WRAPPING.test(line)) ignored.push(i + 1);
  }
  warnOf(ignored, warnings);
  source.at = source.lines.length;
  return -1;
}

/** Lines around a patch that are ignored: fences, and the delimiters of a here-document. */
const WRAPPING = /^\s*(?:```[\w-]*|~~~[\w-]*|(?:apply_patch\s+)?<<-?\s*['"]?\w+['"]?|\w+)\s*$/u;

function warnOf(ignored: readonly number[], warnings: string[]): void {
  if (ignored.length === 0) return;
  const which = ignored.length === 1 ? `line ${ignored[0]}` : `${ignored.length} lines, from line ${ignored[0]},`;
  warnings.push(`${which} outside *** Begin Patch and *** End Patch ${ignored.length === 1 ? 'was' : 'were'} ignored`);
}

/** The last line of a patch ends it even if it is indented; only wrapping may follow it. */
function paddedLastEnd(lines: readonly string[]): number {
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i]!;
    if (markerOf(line)?.kind === 'end') return i;
    if (!/^\s*(?:```|~~~|\w*)\s*$/u.test(line)) return -1;
  }
  return -1;
}

/** Removes the indentation of a block that is indented as a whole. */
function dedent({ lines }: PatchLines, begin: number): void {
  const indent = /^\s*/u.exec(lines[begin]!)![0];
  if (indent === '') return;
  let end = begin;
  for (; end < lines.length; end++) {
    const line = lines[end]!;
    if (line.trim() !== '' && !line.startsWith(indent)) return;
    if (line.startsWith(indent) && line.slice(indent.length).startsWith('***') && markerOf(line)?.kind === 'end') break;
  }
  for (let i = begin; i <= end && i < lines.length; i++) lines[i] = lines[i]!.slice(indent.length);
}

/** Reads operations up to and including the End line. */
function readBlock(source: PatchLines, operations: PatchOperation[]): void {
  const begin = source.at;
  while (source.at < source.lines.length) {
    const line = source.lines[source.at]!;
    if (line.trim() === '') {
      source.at++;
      continue;
    }
    const marker = markerOf(line);
    if (marker?.kind === 'end') {
      source.at++;
      return;
    }
    if (marker?.kind === 'environment' && source.at === begin) readEnvironment(marker.id, source);
    else operations.push(readOperation(source, line));
  }
  throw new Fault('PATCH_SYNTAX', 'the patch ends without *** End Patch', {
    hint: 'it seems to be cut off; send the complete patch again',
    details: { line: source.lines.length },
  });
}

function readEnvironment(id: string, source: PatchLines): void {
  if (id.trim().toLowerCase() !== 'local')
    throw new Fault(
      'PATCH_ENVIRONMENT',
      `the patch is for the environment ${quoted(id.trim())}, which does not exist`,
      {
        hint: 'remove the *** Environment ID line to change this workspace',
        details: { line: source.at + 1 },
      },
    );
  source.at++;
}

function readOperation(source: PatchLines, header: string): PatchOperation {
  const line = source.at + 1;
  const marker = markerOf(header);
  source.at++;
  switch (marker?.kind) {
    case 'add':
      return { kind: 'add', line, path: pathOf(marker.path, line), content: readAddBody(source) };
    case 'delete':
      skipDeletedBody(source);
      return { kind: 'delete', line, path: pathOf(marker.path, line) };
    case 'update':
      return readUpdate(source, line, pathOf(marker.path, line), readMoveTo(source));
    case 'move': {
      const [from, to] = bothPaths(marker.path, line, source);
      return readUpdate(source, line, from, to);
    }
    case 'begin':
      throw syntaxFault(line - 1, 'begins a block inside another one', 'end the first block with *** End Patch');
    default:
      throw syntaxFault(line - 1, `is not a header: ${quoted(header)}`, HEADERS);
  }
}

function readUpdate(source: PatchLines, line: number, path: string, moveTo: string | undefined): PatchOperation {
  const hunks = readHunks(source);
  if (hunks.length === 0 && moveTo === undefined)
    throw syntaxFault(line - 1, `updates ${quoted(path)} without a hunk`, 'write at least one hunk below it');
  return { kind: 'update', line, path, moveTo, hunks };
}

function readMoveTo(source: PatchLines): string | undefined {
  let at = source.at;
  while (source.lines[at]?.trim() === '') at++;
  const marker = markerOf(source.lines[at] ?? '');
  if (marker?.kind !== 'move-to') return undefined;
  source.at = at + 1;
  return pathOf(marker.path, at + 1);
}

function bothPaths(paths: string, line: number, source: PatchLines): readonly [string, string] {
  const parts = paths.split(/\s+->\s+/u);
  const sides = parts.length === 1 ? paths.split('->') : parts;
  if (sides.length === 2) return [pathOf(sides[0]!, line), pathOf(sides[1]!, line)];
  const moveTo = sides.length === 1 ? readMoveTo(source) : undefined;
  if (moveTo !== undefined) return [pathOf(paths, line), moveTo];
  throw syntaxFault(
    line - 1,
    'does not name both paths',
    'write *** Move File: old -> new, or *** Update File: old with *** Move to: new below it',
  );
}

function pathOf(path: string, line: number): string {
  const trimmed = path.trim();
  if (trimmed === '') throw syntaxFault(line - 1, 'has no path', 'write the path after the colon');
  return trimmed;
}

/** A deletion may be followed by the old content, which is ignored. */
function skipDeletedBody(source: PatchLines): void {
  for (; source.at < source.lines.length; source.at++) {
    const line = source.lines[source.at]!;
    const marker = markerOf(line);
    if (marker !== undefined && marker.kind !== 'end-of-file') return;
    if (marker === undefined && line.trim() !== '' && !/^(?:[- ]|@@|\\ )/u.test(line))
      throw syntaxFault(source.at, `follows a deletion: ${quoted(line)}`, 'a deletion has no body');
  }
}
