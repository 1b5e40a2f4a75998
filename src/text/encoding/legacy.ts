/** Guesses encodings older than UTF-8 by how plausible the decoded text is. */
import { guessEastAsian } from './east-asian.ts';
import { type Encoding, encodingNamed } from './encoding.ts';
import { guessSingleByte } from './single-byte.ts';

export interface LegacyGuess {
  readonly encoding: Encoding;
  /** Another encoding fits about as well. */
  readonly unsure: boolean;
}

/** The minimum score of text. */
const ENOUGH = 0.4;
/** The minimum score of East Asian text with frequent characters. */
const SURE_EAST_ASIAN = 1.3;
/** Words of another script may score this much less and are still likelier than rare East Asian characters. */
const NEARLY = 0.1;

/** For bytes that are not UTF-8; undefined when no encoding can decode them. */
export async function guessLegacy(sample: Uint8Array, complete: boolean): Promise<LegacyGuess | undefined> {
  const lines = linesBeyondAscii(sample);
  const western = looksWestern(sample);
  if (western) {
    const latin = guessSingleByte(lines, 'latin', await statistics(lines));
    if (latin !== undefined && latin.score >= ENOUGH) return latin;
  }
  const eastAsian = guessEastAsian(sample, complete);
  if (eastAsian !== undefined && (western || eastAsian.score >= SURE_EAST_ASIAN)) return eastAsian;
  const any = guessSingleByte(lines, 'all', await statistics(lines));
  if (any !== undefined && any.score >= Math.max(ENOUGH, (eastAsian?.score ?? 0) - NEARLY)) return any;
  if (eastAsian !== undefined) return eastAsian;
  const fallback = encodingNamed('windows-1252');
  if (fallback === undefined || (hasUnusedBytes(sample) && !western)) return undefined;
  return { encoding: fallback, unsure: true };
}

const MOST_SAMPLED = 2048;

/** The first lines with bytes beyond ASCII. */
function linesBeyondAscii(sample: Uint8Array): Uint8Array {
  const taken: number[] = [];
  for (let from = 0; from < sample.length && taken.length < MOST_SAMPLED; ) {
    const newline = sample.indexOf(10, from);
    const end = newline < 0 ? sample.length : newline + 1;
    const line = sample.subarray(from, Math.min(end, from + MOST_SAMPLED));
    if (line.some((byte) => byte >= 0x80)) taken.push(...line);
    from = end;
  }
  return Uint8Array.from(taken);
}

/** The confidence of the package chardet in an encoding, from 0 to 1; it is reliable for longer texts. */
async function statistics(sample: Uint8Array): Promise<(encoding: string) => number> {
  const { analyse } = await import('chardet');
  const found = new Map<string, number>();
  for (const { name, confidence } of analyse(sample)) {
    const encoding = encodingNamed(FAMILY[name] ?? name)?.name ?? name;
    found.set(encoding, Math.max(found.get(encoding) ?? 0, confidence / 100));
  }
  return (encoding) => found.get(FAMILY[encoding] ?? encoding) ?? 0;
}

/** Encodings that the statistics do not distinguish: they differ mostly in symbols. */
const FAMILY: Readonly<Record<string, string>> = {
  'ISO-8859-2': 'windows-1250',
  'iso-8859-2': 'windows-1250',
  'ISO-8859-7': 'windows-1253',
  'iso-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
};

/**
 * In Western text, accented letters are single high bytes between ASCII letters. East Asian characters are pairs of high
 * bytes, or have a lead byte from 0x81 on, where Western encodings have no letters.
 */
function looksWestern(bytes: Uint8Array): boolean {
  let letters = 0;
  let symbols = 0;
  let other = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte < 0x80) continue;
    const besideLetter = isLetter(bytes[i - 1]) || isLetter(bytes[i + 1]);
    const besideHigh = (bytes[i - 1] ?? 0) >= 0x80 || (bytes[i + 1] ?? 0) >= 0x80;
    if (besideHigh || !(byte >= 0xa0 || PUNCTUATION.has(byte))) other++;
    else if (byte >= 0xc0 && besideLetter) letters++;
    else if (byte === APOSTROPHE && isLetter(bytes[i - 1]) && isLetter(bytes[i + 1])) letters++;
    else if (byte >= 0xa0) symbols++;
  }
  return other === 0 ? letters + symbols > 0 : other <= letters * 0.1;
}

/** Euro, ellipsis, curly quotes, bullet, dashes, trade mark. */
const PUNCTUATION = new Set([0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99]);

/** The curly apostrophe of `it’s`. */
const APOSTROPHE = 0x92;

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** Windows-1252 does not define these bytes, so they do not occur in text. */
function hasUnusedBytes(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d);
}
