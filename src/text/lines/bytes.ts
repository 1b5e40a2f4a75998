/**
 * Lossless conversion of bytes and text. Valid UTF-8 is decoded as usual; a byte that is not part of valid UTF-8
 * becomes one lone surrogate U+DC80..U+DCFF, which valid UTF-8 cannot produce, and is encoded as that byte again.
 * A byte order mark stays in the text as U+FEFF.
 */

const strict = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = /* @__PURE__ */ new TextEncoder();
const ESCAPED = /[\uD800-\uDFFF]/u;

export function decodeText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeDamaged(bytes);
  }
}

export function encodeText(text: string): Uint8Array {
  return ESCAPED.test(text) ? encodeDamaged(text) : encoder.encode(text);
}

/** The number of bytes that `encodeText` returns. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPairAt(text, i)) {
      bytes += 2;
      i++;
    } else if (!isEscapedByte(unit)) bytes += 2;
  }
  return bytes;
}

function isEscapedByte(unit: number): boolean {
  return unit >= 0xdc80 && unit <= 0xdcff;
}

function isPairAt(text: string, i: number): boolean {
  const high = text.charCodeAt(i);
  const low = text.charCodeAt(i + 1);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}

function decodeDamaged(bytes: Uint8Array): string {
  let out = '';
  let good = 0;
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    out += strict.decode(bytes.subarray(good, i)) + String.fromCharCode(0xdc00 + bytes[i]!);
    i++;
    good = i;
  }
  return out + strict.decode(bytes.subarray(good));
}

/** Length of the valid UTF-8 sequence at `i`, 0 when there is none. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const a = bytes[i]!;
  if (a < 0x80) return 1;
  const b = bytes[i + 1] ?? 0;
  if (a >= 0xc2 && a <= 0xdf) return isTail(b) ? 2 : 0;
  const c = bytes[i + 2] ?? 0;
  if (a >= 0xe0 && a <= 0xef) {
    const low = a === 0xe0 ? 0xa0 : 0x80;
    const high = a === 0xed ? 0x9f : 0xbf;
    return b >= low && b <= high && isTail(c) ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    const low = a === 0xf0 ? 0x90 : 0x80;
    const high = a === 0xf4 ? 0x8f : 0xbf;
    return b >= low && b <= high && isTail(c) && isTail(bytes[i + 3] ?? 0) ? 4 : 0;
  }
  return 0;
}

function isTail(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function encodeDamaged(text: string): Uint8Array {
  const out = new Uint8Array(byteLength(text));
  let at = 0;
  let good = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (isPairAt(text, i)) {
      i++;
      continue;
    }
    if (!isEscapedByte(unit)) continue; // the encoder writes U+FFFD for it, three bytes as counted
    const run = encoder.encode(text.slice(good, i));
    out.set(run, at);
    at += run.length;
    out[at++] = unit - 0xdc00;
    good = i + 1;
  }
  out.set(encoder.encode(text.slice(good)), at);
  return out;
}
