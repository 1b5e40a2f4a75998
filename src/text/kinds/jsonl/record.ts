import { satisfies, type Predicate } from '../../address/predicate.ts';
import type { Step } from '../../address/steps.ts';
import { decodeText } from '../../lines/bytes.ts';
import { matchOf } from '../../walk/match.ts';
import { type Found, type Name, walk } from '../../walk/walk.ts';
import type { Document, Slot } from '../../kind.ts';
import type { LineMatch } from './batch.ts';
import { type JsonlPlace, parseLine } from './jsonl.ts';

/** One line of a source, read as a JSONL document of its own: there it is `L1`. */
export interface Record {
  readonly document: Document<JsonlPlace>;
  /** The line as a place of that document. */
  readonly place: JsonlPlace;
  /** Whether it is neither blank nor malformed. */
  readonly holdsValue: boolean;
}

const FIRST_LINE: Step['sub'] = { type: 'literal', text: 'L1', quoted: false };

/** Reads the bytes of one line, its ending included or not; `isProven` when a scanner has read it as sound JSON. */
export function readRecord(bytes: Uint8Array, isProven = false): Record {
  const text = decodeText(bytes);
  // The newline of a blank line makes it a line; a line cut before its newline may be empty.
  const document = parseLine(text === '' ? '\n' : text, isProven);
  const place = document.child(document.root, 'section', 'L1', false);
  if (place === undefined) throw new TypeError('a text that is not empty has a first line');
  return { document, place, holdsValue: place.line?.document !== undefined };
}

/** Whether a record satisfies a predicate. */
export function passes(record: Record, predicate: Predicate | undefined): boolean {
  if (!record.holdsValue) return false;
  if (predicate === undefined) return true;
  const leaf = record.document.probe(record.place, predicate.key);
  return leaf !== undefined && satisfies(leaf, predicate);
}

/** The places that the steps behind the line lead to, with `name` as the name of the line. */
export function* walkRecord(record: Record, name: Name, rest: readonly Step[]): Generator<Found<JsonlPlace>> {
  const steps = [{ slot: name.slot, sub: FIRST_LINE, spelling: 'L1' }, ...rest];
  for (const found of walk(record.document, steps)) yield { ...found, names: [name, ...found.names.slice(1)] };
}

/** The matches in one line of a file. */
export function* matchesIn(record: Record, line: number, name: Name, rest: readonly Step[]): Generator<LineMatch> {
  for (const found of walkRecord(record, name, rest))
    yield { names: found.names, match: { ...matchOf(record.document, found), line } };
}

/** The name of a line, as `find` prints it. */
export function lineName(slot: Slot, line: number): Name {
  return { slot, text: `L${line}` };
}
