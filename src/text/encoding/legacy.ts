/** The encodings from before UTF-8, told apart by the text that their bytes make. */
import { guessEastAsian } from './east-asian.ts';
import { type Encoding, encodingNamed } from './encoding.ts';
import { guessSingleByte } from './single-byte.ts';

export interface LegacyGuess {
  readonly encoding: Encoding;
  /** Another encoding would explain the bytes about as well. */
  readonly unsure: boolean;
}

/** From here on a reading is text. */
const ENOUGH = 0.4;
/** From here on East Asian text has some of its commonest characters. */
const SURE_EAST_ASIAN = 1.3;
/** So little less may words of another script look like text, and still be likelier than rare East Asian characters. */
const NEARLY = 0.1;

/** The likeliest encoding for bytes that are not UTF-8; undefined when none of them can decode the bytes. */
export async function guessLegacy(sample: Uint8Array, complete: boolean): Promise<LegacyGuess | undefined> {
  const telling = linesBeyondAscii(sample);
  const western = looksWestern(sample);
  if (western) {
    const latin = guessSingleByte(telling, 'latin', await statistics(telling));
    if (latin !== undefined && latin.score >= ENOUGH) return latin;
  }
  const eastAsian = guessEastAsian(sample, complete);
  if (eastAsian !== undefined && (western || eastAsian.score >= SURE_EAST_ASIAN)) return eastAsian;
  const any = guessSingleByte(telling, 'all', await statistics(telling));
  if (any !== undefined && any.score >= Math.max(ENOUGH, (eastAsian?.score ?? 0) - NEARLY)) return any;
  if (eastAsian !== undefined) return eastAsian;
  const fallback = encodingNamed('windows-1252');
  if (fallback === undefined || (hasUnusedBytes(sample) && !western)) return undefined;
  return { encoding: fallback, unsure: true };
}

const MOST_TELLING = 2048;

/** The lines that say something, as many as are needed. */
function linesBeyondAscii(sample: Uint8Array): Uint8Array {
  const taken: number[] = [];
  for (let from = 0; from < sample.length && taken.length < MOST_TELLING; ) {
    const newline = sample.indexOf(10, from);
    const end = newline < 0 ? sample.length : newline + 1;
    const line = sample.subarray(from, Math.min(end, from + MOST_TELLING));
    if (line.some((byte) => byte >= 0x80)) taken.push(...line);
    from = end;
  }
  return Uint8Array.from(taken);
}

/** What the statistics of a package say about an encoding, from 0 to 1; they are good with longer texts. */
async function statistics(sample: Uint8Array): Promise<(encoding: string) => number> {
  const { analyse } = await import('chardet');
  const found = new Map<string, number>();
  for (const { name, confidence } of analyse(sample)) {
    const encoding = encodingNamed(FAMILY[name] ?? name)?.name ?? name;
    found.set(encoding, Math.max(found.get(encoding) ?? 0, confidence / 100));
  }
  return (encoding) => found.get(FAMILY[encoding] ?? encoding) ?? 0;
}

/** Encodings that the statistics do not tell apart: what differs are mostly signs. */
const FAMILY: Readonly<Record<string, string>> = {
  'ISO-8859-2': 'windows-1250',
  'iso-8859-2': 'windows-1250',
  'ISO-8859-7': 'windows-1253',
  'iso-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
};

/**
 * Accented letters stand alone between plain ones. East Asian characters come in pairs of high bytes, or have a first
 * byte from 0x81 on, where Western text has no letters.
 */
function looksWestern(bytes: Uint8Array): boolean {
  let letters = 0;
  let alone = 0;
  let other = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte < 0x80) continue;
    const besideLetter = isLetter(bytes[i - 1]) || isLetter(bytes[i + 1]);
    const besideHigh = (bytes[i - 1] ?? 0) >= 0x80 || (bytes[i + 1] ?? 0) >= 0x80;
    if (besideHigh || !(byte >= 0xa0 || PUNCTUATION.has(byte))) other++;
    else if (byte >= 0xc0 && besideLetter) letters++;
    else if (byte === APOSTROPHE && isLetter(bytes[i - 1]) && isLetter(bytes[i + 1])) letters++;
    else if (byte >= 0xa0) alone++;
  }
  return other === 0 ? letters + alone > 0 : other <= letters * 0.1;
}

/** Euro, ellipsis, curly quotes, bullet, dashes, trade mark. */
const PUNCTUATION = new Set([0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99]);

/** The curly one of `it’s`. */
const APOSTROPHE = 0x92;

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** Windows-1252 gives these no meaning, so that no text has them. */
function hasUnusedBytes(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d);
}
