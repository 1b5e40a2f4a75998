/** Whether bytes hold a private key, whatever their encoding: the same rule as for text, on the parts that can matter. */
import { type ByteSource, readRange } from '../../text/scan/source.ts';
import { holdsPrivateKey, KEY_WORDS } from '../../text/secrets/private-keys.ts';

const WINDOW = 1 << 20;
/** Around the words, in bytes: the line that they stand in, and enough of what follows it. */
const BEFORE = 256;
const AFTER = 1024;

/** Looks through all of it, in windows. */
export function hasPrivateKey(source: ByteSource): boolean {
  for (let from = 0; from < source.size; from += WINDOW) {
    const window = readRange(source, Math.max(0, from - BEFORE), Math.min(source.size, from + WINDOW + AFTER));
    if (window.length === 0) return false;
    if (isKeyAmong(lettersOf(window))) return true;
  }
  return false;
}

/** ASCII letters of any encoding: in UTF-16 a zero byte stands beside each. */
function lettersOf(bytes: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(bytes);
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

/** Most texts are left after one look for the words. */
function isKeyAmong(text: string): boolean {
  return text.includes(KEY_WORDS) && holdsPrivateKey(text);
}
