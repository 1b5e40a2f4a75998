import type { OpenFile } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import { assertNoSentinel } from '../../text/address/sentinel.ts';
import { stepsOf } from '../../text/address/steps.ts';
import { JsonObject, sameJson, writeJson } from '../../text/json/value.ts';
import { coerceToLeaf } from '../../text/kinds/jsonc/coerce.ts';
import { parseJsonc } from '../../text/kinds/jsonc/jsonc.ts';
import { type SeekOutcome, seekableNames, seekJson } from '../../text/kinds/jsonc/seek.ts';
import { refuse } from '../../text/kind.ts';
import { decodeText, encodeText } from '../../text/lines/bytes.ts';
import { positionAt } from '../../text/lines/position.ts';
import { BrokenDocument } from '../../text/walk/broken.ts';
import { CONTAINER_KIND, type Match } from '../../text/walk/match.ts';
import { refusePattern } from '../../text/path/read.ts';
import { readRange } from '../../text/scan/source.ts';
import type { DetailedMatch } from './answer.ts';
import type { Edit, Effect, Subject } from './subject.ts';

type Found = Extract<SeekOutcome, { status: 'found' }>;

/**
 * A large JSON file: one pass validates the document and finds the place, and a leaf is replaced in place. `whole` handles
 * patterns, insertions, deletions and what the pass cannot prove, in memory.
 */
export function bigJsonSubject(file: OpenFile, whole: () => Subject): Subject {
  const seek = (path: OcPath): SeekOutcome => {
    refusePattern(path);
    const names = seekableNames(stepsOf(path));
    return names === undefined || names.length === 0 ? { status: 'unproven' } : seekJson(file, names);
  };
  return {
    resolve: (path) => {
      const outcome = seek(path);
      if (outcome.status === 'found') return detailed(file, outcome);
      return isMissing(outcome) ? undefined : whole().resolve(path);
    },
    raw: (path) => {
      const outcome = seek(path);
      if (outcome.status === 'found') {
        const document = parseJsonc(valueText(file, outcome));
        return isContainer(document.text) ? document.text : document.leaf(document.root).valueText;
      }
      return isMissing(outcome) ? undefined : whole().raw(path);
    },
    find: (path) => whole().find(path),
    effect: (edit) => leafEffect(file, edit) ?? whole().effect(edit),
  };
}

/** False where only the document in memory can decide; throws for a broken document. */
function isMissing(outcome: SeekOutcome): boolean {
  if (outcome.status === 'broken') throw new BrokenDocument(outcome.problem, outcome.position);
  return outcome.status === 'missing';
}

function valueText(file: OpenFile, found: Found): string {
  return decodeText(readRange(file, found.start, found.end));
}

function isContainer(text: string): boolean {
  return text[0] === '{' || text[0] === '[';
}

function detailed(file: OpenFile, found: Found): DetailedMatch {
  const { start, end, key, position } = found;
  const document = parseJsonc(valueText(file, found));
  const match: Match = isContainer(document.text)
    ? { kind: CONTAINER_KIND, descriptor: document.root.descriptor, ...position }
    : { kind: 'leaf', ...document.leaf(document.root), ...position };
  return {
    ...match,
    end: endOf(decodeText(readRange(file, key?.start ?? start, end)), position),
    byteRange: { start, end },
    value: document.value(document.root),
  };
}

/** The end position of a text that begins at `from`. */
function endOf(text: string, from: { readonly line: number; readonly column: number }) {
  const { line, column } = positionAt(text, text.length);
  return { line: from.line + line - 1, column: line === 1 ? from.column + column - 1 : column };
}

/** The splice that replaces a scalar by a scalar; undefined for all edits that need the document in memory. */
function leafEffect(file: OpenFile, edit: Edit): Effect | undefined {
  if (edit.verb !== 'set') return undefined;
  const names = seekableNames(stepsOf(edit.path));
  if (names === undefined || names.length === 0) return undefined;
  const outcome = seekJson(file, names);
  if (outcome.status === 'broken') {
    const { line, column } = outcome.position;
    return refuse(
      'parse-error',
      `line ${line}, column ${column}: ${outcome.problem.message}; correct the file by hand first`,
    );
  }
  if (outcome.status !== 'found') return undefined;
  const document = parseJsonc(valueText(file, outcome));
  if (isContainer(document.text)) return undefined;
  const coerced = coerceToLeaf(document.leaf(document.root).leafType, edit.value);
  if ('ok' in coerced) return coerced;
  if (Array.isArray(coerced.value) || coerced.value instanceof JsonObject) return undefined;
  if (sameJson(document.value(document.root), coerced.value)) return { ok: true, splices: [] };
  const text = writeJson(coerced.value, { indent: '' });
  assertNoSentinel(text, 'the new value');
  return { ok: true, splices: [{ start: outcome.start, end: outcome.end, bytes: encodeText(text) }] };
}
