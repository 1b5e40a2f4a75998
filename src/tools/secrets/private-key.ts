/** Finds private keys in bytes of any encoding, by the same rule as in text. */
import type { Encoding } from '../../text/encoding/encoding.ts';
import { type ByteSource, readRange } from '../../text/scan/source.ts';
import { containsPrivateKey, KEY_WORDS, privateKeySpans } from '../../text/secrets/private-keys.ts';
import { hiddenLines, type Redacted } from './redact.ts';

const WINDOW = 1 << 20;
/** The bytes around the key words that decide: their line, and the start of the content. */
const BEFORE = 256;
const AFTER = 1024;

/** Searches the whole source in windows. */
export function hasPrivateKey(source: ByteSource): boolean {
  for (let from = 0; from < source.size; from += WINDOW) {
    const window = readRange(source, Math.max(0, from - BEFORE), Math.min(source.size, from + WINDOW + AFTER));
    if (window.length === 0) return false;
    if (isKeyAmong(lettersOf(window))) return true;
  }
  return false;
}

/**
 * Decodes bytes, with each line of a private key as `***`. Searches the bytes, not the text: decoded with a wrong encoding, a
 * key would not be recognised but could be restored.
 */
export function decodeWithoutKeys(bytes: Uint8Array, encoding: Encoding): Redacted {
  const { unit } = encoding;
  const letters = lettersOf(bytes);
  const places = letters.length === bytes.length ? undefined : placesOfLetters(bytes);
  const spans = privateKeySpans(letters);
  let text = '';
  let at = 0;
  for (const { start, end } of spans) {
    // Whole code units: the zero bytes beside the first and the last letter belong to the key.
    const first = Math.floor((places?.[start] ?? start) / unit) * unit;
    const last = Math.ceil(((places?.[end - 1] ?? end - 1) + 1) / unit) * unit;
    text += encoding.decode(bytes.subarray(at, first)) + hiddenLines(letters.slice(start, end));
    at = Math.max(at, last);
  }
  return { text: text + encoding.decode(bytes.subarray(at)), hidden: spans.length };
}

/** The offsets of all bytes that are not zero. */
function placesOfLetters(bytes: Uint8Array): Uint32Array {
  const places = new Uint32Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) places[count++] = at;
  return places;
}

/** The ASCII characters in any encoding: UTF-16 has a zero byte next to each. */
function lettersOf(bytes: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(bytes);
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

/** The first test rejects most texts quickly. */
function isKeyAmong(text: string): boolean {
  return text.includes(KEY_WORDS) && containsPrivateKey(text);
}
