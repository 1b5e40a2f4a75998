import type { LineCounts, OpenFile } from '../../hosts/host.ts';
import type { OcPath } from '../../text/address/address.ts';
import { stepsOf } from '../../text/address/steps.ts';
import { type LineFound, resolveInLines, type SourceLine } from '../../text/kinds/jsonl/stream.ts';
import { type JsonlPlace, parseJsonl } from '../../text/kinds/jsonl/jsonl.ts';
import type { Document } from '../../text/kinds/kind.ts';
import { decodeText, encodeText } from '../../text/lines/bytes.ts';
import { findOcPathsInLines, formatOcPathsInLines } from '../../text/path/lines.ts';
import { extentOf, matchOf } from '../../text/path/match.ts';
import { refusePattern } from '../../text/path/read.ts';
import { countNewlines } from '../../text/scan/lines.ts';
import { bytesSource } from '../../text/scan/source.ts';
import type { DetailedMatch } from './answer.ts';
import type { Edit, Effect, Subject } from './subject.ts';
import { outcomeOf, toByteSplices } from './whole.ts';

/** What is looked at to see how a log is written: its ending and its style. */
const TAIL = 64 << 10;

/**
 * The lines of a log of any size: read in windows, changed in one line, appended to at the end. What takes more than a
 * line (a new line in the middle) is done by `whole`, in memory.
 */
export function linesSubject(file: OpenFile, counts: LineCounts, whole: () => Subject): Subject {
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
    find: (path) => findOcPathsInLines(file, path),
    findAsText: (path, format) => formatOcPathsInLines(file, path, format),
    effect: (edit) => {
      const [first, ...rest] = stepsOf(edit.path);
      if (first === undefined) return whole().effect(edit);
      if (first.sub.type === 'insert')
        return first.sub.index === undefined && first.sub.key === undefined
          ? appended(file, edit)
          : whole().effect(edit);
      if (rest.length === 0 && edit.verb === 'delete') return whole().effect(edit);
      return inOneLine(file, edit) ?? whole().effect(edit);
    },
  };
}

/** Below this size counting the newlines costs less than remembering them. */
const WORTH_REMEMBERING = 16 << 20;

/** The number of a line that was reached from the end: from the remembered count of a big file, not by reading all of it. */
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

/** An append looks at the end of the log only, so it costs the same on any size. */
function appended(file: OpenFile, edit: Edit): Effect {
  const tail = tailOf(file);
  const outcome = outcomeOf(tail, edit);
  if (!outcome.ok) return outcome;
  const added = outcome.text.slice(tail.text.length);
  const eol = added.includes('\r\n') ? '\r\n' : '\n';
  const line = added.startsWith(eol) ? added.slice(eol.length) : added.slice(0, added.length - eol.length);
  return { ok: true, append: { line: encodeText(line), eol } };
}

/** The last lines of a file as a document; the piece of a line at its beginning is no record and is only text. */
function tailOf(file: OpenFile): Document<JsonlPlace> {
  const start = Math.max(0, file.size - TAIL);
  const bytes = new Uint8Array(file.size - start);
  return parseJsonl(decodeText(bytes.subarray(0, file.read(start, bytes))));
}

/** A change inside one line, or of that line's value: computed on the line alone. */
function inOneLine(file: OpenFile, edit: Edit): Effect | undefined {
  const [first] = stepsOf(edit.path);
  const at = first === undefined ? undefined : resolveInLines(file, [first]);
  if (at?.line === undefined) return undefined;
  const outcome = outcomeOf(at.document, { ...edit, path: onFirstLine(edit.path) });
  if (!outcome.ok) return { ...outcome, detail: renumbered(outcome.detail, at.line.number()) };
  const { offset } = at.line;
  return {
    ok: true,
    splices: toByteSplices(at.document.text, outcome.splices).map(({ start, end, bytes }) => ({
      start: start + offset,
      end: end + offset,
      bytes,
    })),
  };
}

/** What was said of a line on its own, said of that line in its file. */
function renumbered(detail: string, line: number): string {
  return detail.replace(/^(L|line )1(?= is |, column )/u, `$1${line}`);
}

/** The address in the document of a line alone, where that line is `L1`. */
function onFirstLine(path: OcPath): OcPath {
  const below = stepsOf(path)
    .filter((step) => step.slot === 'section')
    .slice(1);
  return { ...path, section: ['L1', ...below.map((step) => step.spelling)].join('.') };
}
