import { encodeText } from '../lines/bytes.ts';
import { LAYOUT, type Scanner } from './scan.ts';

/**
 * A necessary condition for a line with a certain string: it contains the text in quotes, or an escape of one of its
 * UTF-16 units.
 */
export interface Needle {
  readonly bytes: Uint8Array;
  /** Offset of the two adjacent bytes to search for first. */
  readonly pair: number;
  readonly units: readonly number[];
  /** A letter besides `u` that escapes a unit after a backslash. */
  readonly shortEscape: number;
}

const LOWER_U = 0x75;
const SLASH = 0x2f;
const MAX_UNITS = 4000;

/** The needle of a text; undefined if it has too many spellings to search for. */
export function needleOf(text: string): Needle | undefined {
  // These characters have two-byte escapes that are everywhere (`\"`, `\n`); a needle would match nearly every line.
  if (text.length === 0 || text.length > MAX_UNITS || /["\\\p{Cc}]/u.test(text)) return undefined;
  const bytes = encodeText(`"${text}"`);
  const units = [...new Set(Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)))];
  return { bytes, pair: rarestPair(bytes), units, shortEscape: text.includes('/') ? SLASH : LOWER_U };
}

/** Bytes of JSON text, most frequent first. */
const FREQUENT = '" ,:eatoinsrlcdupmhfg0123{}[]b-_.y4567v89wkx';

function rarestPair(bytes: Uint8Array): number {
  const rarity = (at: number): number => {
    const rank = FREQUENT.indexOf(String.fromCharCode(bytes[at]!));
    return rank < 0 ? FREQUENT.length : rank;
  };
  let best = 0;
  for (let at = 1; at + 1 < bytes.length; at++) {
    if (rarity(at) + rarity(at + 1) > rarity(best) + rarity(best + 1)) best = at;
  }
  return best;
}

/** Finds the lines of [from, end) that may contain the needle; writes rows of three numbers to the candidate area. */
export function findCandidates(scanner: Scanner, needle: Needle, from: number, end: number): number {
  const { bytes, pair, units, shortEscape } = needle;
  scanner.bytes.set(bytes, LAYOUT.texts);
  new Uint16Array(scanner.bytes.buffer, LAYOUT.tables, units.length).set(units);
  const { texts, tables, candidates, candidatesEnd } = LAYOUT;
  return scanner.wasm.candidates(
    from,
    end,
    texts,
    bytes.length,
    pair,
    tables,
    units.length,
    shortEscape,
    candidates,
    candidatesEnd,
  );
}
