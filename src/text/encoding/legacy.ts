/** The encodings from before UTF-8, told apart by how their bytes are distributed. */
import { guessEastAsian } from './east-asian.ts';
import { type Encoding, encodingNamed } from './encoding.ts';

/** What the statistics may answer; they know others, but mostly when they are wrong. */
const KNOWN = new Set(['windows-1252', 'windows-1251', 'koi8-r']);
const ENOUGH_CONFIDENCE = 20;

/** The likeliest encoding for bytes that are not UTF-8; undefined when none of them can decode the bytes. */
export async function guessLegacy(sample: Uint8Array, complete: boolean): Promise<Encoding | undefined> {
  const western = encodingNamed('windows-1252');
  if (looksWestern(sample)) return western;
  const eastAsian = guessEastAsian(sample, complete);
  if (eastAsian !== undefined) return eastAsian;
  const { analyse } = await import('chardet');
  for (const { name, confidence } of analyse(sample)) {
    const encoding = encodingNamed(name);
    if (encoding !== undefined && KNOWN.has(encoding.name) && confidence >= ENOUGH_CONFIDENCE) return encoding;
  }
  return hasUnusedBytes(sample) ? undefined : western;
}

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
    else if (byte >= 0xa0) alone++;
  }
  return other === 0 ? letters + alone > 0 : other <= letters * 0.1;
}

/** Euro, ellipsis, curly quotes, bullet, dashes, trade mark. */
const PUNCTUATION = new Set([0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99]);

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** Windows-1252 gives these no meaning, so that no text has them. */
function hasUnusedBytes(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d);
}
