import type { OcPath } from '../../text/address/address.ts';
import { passesOf, stepsOf } from '../../text/address/steps.ts';
import type { Document } from '../../text/kind.ts';
import { byteLength, encodeText } from '../../text/lines/bytes.ts';
import type { Splice } from '../../text/lines/splice.ts';
import { extentOf, matchOf } from '../../text/walk/match.ts';
import { findOcPaths, locateOcPath } from '../../text/path/read.ts';
import { deleteOcPath, type SetOutcome, setOcPath } from '../../text/path/set.ts';
import type { ByteSplice } from '../../hosts/files/shape.ts';
import type { DetailedMatch, FoundMatch } from './answer.ts';
import type { Edit, Effect, Subject } from './subject.ts';

/** Called before the work with the number of characters to process, YAML aliases expanded; throws above the limit. */
export type CountWork = (characters: number) => void;

/** For a document in memory. */
export function memorySubject(document: Document, count: CountWork = () => {}): Subject {
  const length = (): number => document.expandedLength ?? document.text.length;
  return {
    resolve: (path) => detailed(document, path, () => count(length())),
    raw: (path) => {
      const found = locateOcPath(document, path);
      return found === undefined || found.insertion ? undefined : document.raw(found.place);
    },
    find: (path): Iterable<FoundMatch> => {
      count(length() * passesOf(stepsOf(path)));
      return findOcPaths(document, path);
    },
    effect: (edit): Effect => {
      const outcome = outcomeOf(document, edit);
      return outcome.ok ? { ok: true, splices: toByteSplices(document.text, outcome.splices) } : outcome;
    },
  };
}

export function outcomeOf(document: Document, edit: Edit): SetOutcome {
  return edit.verb === 'delete'
    ? deleteOcPath(document, edit.path)
    : setOcPath(document, edit.path, edit.value, edit.options);
}

function detailed(document: Document, path: OcPath, countValue: () => void): DetailedMatch | undefined {
  const found = locateOcPath(document, path);
  if (found === undefined) return undefined;
  countValue();
  const match = matchOf(document, found);
  if (found.insertion) return match;
  const { end, bytes } = extentOf(document, found.place);
  return { ...match, end, byteRange: bytes, value: document.value(found.place) };
}

/** Converts splices of the decoded text to splices of the bytes. */
export function toByteSplices(text: string, splices: readonly Splice[]): ByteSplice[] {
  return splices.map((splice) => {
    const start = byteLength(text.slice(0, splice.start));
    return { start, end: start + byteLength(text.slice(splice.start, splice.end)), bytes: encodeText(splice.text) };
  });
}
