import type { LineCounts, OpenFile } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import { passesOf, type Step, stepsOf } from '../../text/address/steps.ts';
import type { Sub } from '../../text/address/sub.ts';
import { type LineFound, lineAt, resolveInLines, type SourceLine } from '../../text/kinds/jsonl/stream.ts';
import { type JsonlPlace, parseJsonl } from '../../text/kinds/jsonl/jsonl.ts';
import type { Document } from '../../text/kind.ts';
import { decodeText, encodeText } from '../../text/lines/bytes.ts';
import { findOcPathsInLines, formatOcPathsInLines } from '../../text/path/lines.ts';
import { extentOf, matchOf } from '../../text/walk/match.ts';
import { refusePattern } from '../../text/path/read.ts';
import { countNewlines } from '../../text/scan/lines.ts';
import type { SetOutcome } from '../../text/path/set.ts';
import { bytesSource, readRange } from '../../text/scan/source.ts';
import type { DetailedMatch } from './answer.ts';
import type { Edit, Effect, Subject } from './subject.ts';
import { type CountWork, outcomeOf, toByteSplices } from './memory-subject.ts';

/** The part of a log that shows its line ending and its style. */
const TAIL = 64 << 10;

/**
 * A JSONL file of any size: read in windows, changed line by line, appended at the end. `whole` handles only the address of the
 * whole file, in memory.
 */
export function linesSubject(
  file: OpenFile,
  counts: LineCounts,
  whole: () => Subject,
  count: CountWork = () => {},
): Subject {
  return {
    resolve: (path) => {
      refusePattern(path);
      const at = resolveInLines(file, stepsOf(path));
      if (at === undefined) return undefined;
      return at.line === undefined
        ? whole().resolve(path)
        : detailed(at, at.line, lineNumber(file, counts, path, at.line));
    },
    raw: (path) => {
      refusePattern(path);
      const at = resolveInLines(file, stepsOf(path));
      if (at === undefined || at.found.insertion) return undefined;
      return at.line === undefined ? whole().raw(path) : at.document.raw(at.found.place);
    },
    find: (path) => {
      count(file.size * passesOf(stepsOf(path)));
      return findOcPathsInLines(file, path);
    },
    findAsText: (path, format) => formatOcPathsInLines(file, path, format),
    effect: (edit) => {
      const [first, ...rest] = stepsOf(edit.path);
      if (first === undefined) return whole().effect(edit);
      if (first.sub.type === 'insert') return inserted(file, first.sub, edit);
      if (rest.length === 0 && edit.verb === 'delete') return withoutLine(file, first) ?? onNothing(edit);
      return inOneLine(file, edit) ?? onNothing(edit);
    },
  };
}

/** In a smaller file, counting newlines costs less than remembering them. */
const WORTH_REMEMBERING = 16 << 20;

/** Numbers a line near the end of a large file by the remembered line count, without reading the whole file. */
function lineNumber(file: OpenFile, counts: LineCounts, path: OcPath, line: SourceLine): number {
  if (file.size < WORTH_REMEMBERING || stepsOf(path)[0]?.sub.type !== 'last') return line.number();
  let total = counts.recall(file.stamp);
  if (total === undefined) {
    total = countNewlines(file, file.size);
    counts.remember(file.stamp, total);
  }
  const behind = new Uint8Array(file.size - line.offset);
  const length = file.read(line.offset, behind);
  return total - countNewlines(bytesSource(behind.subarray(0, length)), length) + 1;
}

function detailed(at: LineFound, line: SourceLine, number: number): DetailedMatch {
  const match = { ...matchOf(at.document, at.found), line: number };
  if (at.found.insertion) return match;
  const { end, bytes } = extentOf(at.document, at.found.place);
  return {
    ...match,
    end: { line: number, column: end.column },
    byteRange: { start: line.offset + bytes.start, end: line.offset + bytes.end },
    value: at.document.value(at.found.place),
  };
}

/** Inserts a line at the end, or before the line with this index. */
function inserted(file: OpenFile, sub: Extract<Sub, { type: 'insert' }>, edit: Edit): Effect {
  const next = sub.index === undefined ? undefined : lineAt(file, sub.index + 1);
  if (next === undefined) return appended(file, edit);
  // A last line without an ending does not show the line ending of the file, so include the ending before it.
  const ending = next.document.text.endsWith('\n') ? 0 : endingBefore(file, next.offset);
  const start = next.offset - ending;
  const part = parseJsonl(decodeText(readRange(file, start, next.offset + next.bytes)));
  const below = stepsOf(edit.path)
    .filter((step) => step.slot === 'section')
    .slice(1);
  const section = [ending === 0 ? '+0' : '+1', ...below.map((step) => step.spelling)].join('.');
  return atOffset(part, outcomeOf(part, { ...edit, path: { ...edit.path, section } }), start);
}

/** The length of the line ending before an offset. */
function endingBefore(file: OpenFile, offset: number): number {
  const before = decodeText(readRange(file, Math.max(0, offset - 2), offset));
  return /\r?\n$/.exec(before)?.[0].length ?? 0;
}

/** Removes a line with its ending, or with the ending before it for a last line without one. */
function withoutLine(file: OpenFile, step: Step): Effect | undefined {
  const line = resolveInLines(file, [step])?.line;
  if (line === undefined) return undefined;
  const start = line.offset + (line.offset === 0 && line.document.text.startsWith('\uFEFF') ? 3 : 0);
  const end = line.offset + line.bytes;
  const ending = line.document.text.endsWith('\n') ? 0 : endingBefore(file, start);
  return { ok: true, splices: [{ start: start - ending, end, bytes: new Uint8Array(0) }] };
}

/** Refuses a missing line with the same message as a document in memory. */
function onNothing(edit: Edit): Effect {
  const nothing = parseJsonl('');
  return atOffset(nothing, outcomeOf(nothing, edit), 0);
}

/** Translates an outcome on a part of the file to offsets in the file. */
function atOffset(part: Document, outcome: SetOutcome, offset: number): Effect {
  if (!outcome.ok) return outcome;
  return {
    ok: true,
    splices: toByteSplices(part.text, outcome.splices).map(({ start, end, bytes }) => ({
      start: start + offset,
      end: end + offset,
      bytes,
    })),
  };
}

/** Reads only the end of the log, so the cost does not depend on its size. */
function appended(file: OpenFile, edit: Edit): Effect {
  const tail = tailOf(file);
  const outcome = outcomeOf(tail, edit);
  if (!outcome.ok) return outcome;
  const added = outcome.text.slice(tail.text.length);
  const eol = added.includes('\r\n') ? '\r\n' : '\n';
  const line = added.startsWith(eol) ? added.slice(eol.length) : added.slice(0, added.length - eol.length);
  return { ok: true, append: { line: encodeText(line), eol } };
}

/** The last lines of a file as a document; it may begin with a part of a line. */
function tailOf(file: OpenFile): Document<JsonlPlace> {
  const start = Math.max(0, file.size - TAIL);
  const bytes = new Uint8Array(file.size - start);
  return parseJsonl(decodeText(bytes.subarray(0, file.read(start, bytes))));
}

/** Changes one line, and parses only that line. */
function inOneLine(file: OpenFile, edit: Edit): Effect | undefined {
  const [first] = stepsOf(edit.path);
  const at = first === undefined ? undefined : resolveInLines(file, [first]);
  if (at?.line === undefined) return undefined;
  const outcome = outcomeOf(at.document, { ...edit, path: onFirstLine(edit.path) });
  if (!outcome.ok) return { ...outcome, detail: renumbered(outcome.detail, at.line.number()) };
  return atOffset(at.document, outcome, at.line.offset);
}

/** Replaces the line number 1 of the single line by its number in the file. */
function renumbered(detail: string, line: number): string {
  return detail.replace(/^(L|line )1(?= is |, column )/u, `$1${line}`);
}

/** The address in a document of this single line, which is `L1`. */
function onFirstLine(path: OcPath): OcPath {
  const below = stepsOf(path)
    .filter((step) => step.slot === 'section')
    .slice(1);
  return { ...path, section: ['L1', ...below.map((step) => step.spelling)].join('.') };
}
