import { satisfies, type Predicate } from '../../address/predicate.ts';
import type { Step } from '../../address/steps.ts';
import { decodeText } from '../../lines/bytes.ts';
import { matchOf } from '../../walk/match.ts';
import { type Found, type Name, walk } from '../../walk/walk.ts';
import type { Document, Slot } from '../../kind.ts';
import type { LineMatch } from './batch.ts';
import { type JsonlPlace, parseLine } from './jsonl.ts';

/** One line of a source, parsed as a separate JSONL document, where it is `L1`. */
export interface Record {
  readonly document: Document<JsonlPlace>;
  /** The line in that document. */
  readonly place: JsonlPlace;
  /** The line is neither blank nor malformed. */
  readonly holdsValue: boolean;
}

const FIRST_LINE: Step['sub'] = { type: 'literal', text: 'L1', quoted: false };

/** Parses one line, with or without its ending. `isProven`: a scanner has already found it to be valid JSON. */
export function readRecord(bytes: Uint8Array, isProven = false): Record {
  const text = decodeText(bytes);
  // An empty text has no line, but a blank line without its newline is an empty text.
  const document = parseLine(text === '' ? '\n' : text, isProven);
  const place = document.child(document.root, 'section', 'L1', false);
  if (place === undefined) throw new TypeError('a text that is not empty has a first line');
  return { document, place, holdsValue: place.line?.document !== undefined };
}

export function satisfiesPredicate(record: Record, predicate: Predicate | undefined): boolean {
  if (!record.holdsValue) return false;
  if (predicate === undefined) return true;
  const leaf = record.document.probe(record.place, predicate.key);
  return leaf !== undefined && satisfies(leaf, predicate);
}

/** The places that the steps after the line lead to, with `name` as the name of the line. */
export function* walkRecord(record: Record, name: Name, rest: readonly Step[]): Generator<Found<JsonlPlace>> {
  const steps = [{ slot: name.slot, sub: FIRST_LINE, spelling: 'L1' }, ...rest];
  for (const found of walk(record.document, steps)) yield { ...found, names: [name, ...found.names.slice(1)] };
}

export function* matchesIn(record: Record, line: number, name: Name, rest: readonly Step[]): Generator<LineMatch> {
  for (const found of walkRecord(record, name, rest))
    yield { names: found.names, match: { ...matchOf(record.document, found), line } };
}

export function lineName(slot: Slot, line: number): Name {
  return { slot, text: `L${line}` };
}
