/**
 * Paths as text without loss. Linux accepts any bytes in a name; in a name that is not UTF-8, each byte from 0x80 on becomes a
 * lone surrogate (U+DC80 to U+DCFF), which no valid name contains. `JSON.stringify` shows them as escapes.
 */

const LONE = /[\udc80-\udcff]/u;
const EVERY_LONE = /([\udc80-\udcff]+)/u;
const SURROGATES = 0xdc00;

export function nameFromBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(bytes)) return text;
  return [...bytes].map((byte) => String.fromCharCode(byte < 0x80 ? byte : SURROGATES + byte)).join('');
}

export function isUtf8Path(path: string): boolean {
  return !LONE.test(path);
}

/** A path for functions of `node:fs`. */
export function fsPath(path: string): string | Buffer {
  if (isUtf8Path(path)) return path;
  const parts = path.split(EVERY_LONE).map((part) => {
    if (!LONE.test(part)) return Buffer.from(part, 'utf8');
    return Buffer.from([...part].map((char) => char.charCodeAt(0) - SURROGATES));
  });
  return Buffer.concat(parts);
}
